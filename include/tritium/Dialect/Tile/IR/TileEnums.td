//===- TileEnums.td - enumerations of the tt dialect -----------*- tablegen -*-===//

#ifndef TRITIUM_TILE_ENUMS_TD
#define TRITIUM_TILE_ENUMS_TD

include "mlir/IR/EnumAttr.td"

class Tile_Enum<string name, string description, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, description, cases> {
  let cppNamespace = "::tritium::tt";
}

def Tile_CacheModifier : Tile_Enum<"CacheModifier", "cache operator of a load or store", [
  I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">,
  I32EnumAttrCase<"CG", 2, "cg">, I32EnumAttrCase<"CS", 3, "cs">,
  I32EnumAttrCase<"CV", 4, "cv">, I32EnumAttrCase<"WB", 5, "wb">,
  I32EnumAttrCase<"WT", 6, "wt">]>;

def Tile_EvictionPolicy : Tile_Enum<"EvictionPolicy", "eviction priority", [
  I32EnumAttrCase<"NORMAL", 0, "evict_normal">, I32EnumAttrCase<"FIRST", 1, "evict_first">,
  I32EnumAttrCase<"LAST", 2, "evict_last">]>;

def Tile_RMWOp : Tile_Enum<"RMWOp", "operation of an atomic read-modify-write", [
  I32EnumAttrCase<"AND", 0, "and">, I32EnumAttrCase<"OR", 1, "or">,
  I32EnumAttrCase<"XOR", 2, "xor">, I32EnumAttrCase<"ADD", 3, "add">,
  I32EnumAttrCase<"FADD", 4, "fadd">, I32EnumAttrCase<"MAX", 5, "max">,
  I32EnumAttrCase<"MIN", 6, "min">, I32EnumAttrCase<"UMAX", 7, "umax">,
  I32EnumAttrCase<"UMIN", 8, "umin">, I32EnumAttrCase<"XCHG", 9, "exch">]>;

def Tile_MemSemantic : Tile_Enum<"MemSemantic", "memory order of an atomic", [
  I32EnumAttrCase<"RELAXED", 0, "relaxed">, I32EnumAttrCase<"ACQUIRE", 1, "acquire">,
  I32EnumAttrCase<"RELEASE", 2, "release">, I32EnumAttrCase<"ACQUIRE_RELEASE", 3, "acq_rel">]>;

def Tile_MemScope : Tile_Enum<"MemScope", "scope of an atomic", [
  I32EnumAttrCase<"GPU", 0, "gpu">, I32EnumAttrCase<"CTA", 1, "cta">,
  I32EnumAttrCase<"SYS", 2, "sys">]>;

def Tile_InputPrecision : Tile_Enum<"InputPrecision", "how dot reads fp32 operands", [
  I32EnumAttrCase<"IEEE", 0, "ieee">, I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"TF32x3", 2, "tf32x3">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;

def Tile_HintKind : Tile_Enum<"HintKind", "what a hint says of an axis", [
  I32EnumAttrCase<"DIVISIBILITY", 0, "divisibility">,
  I32EnumAttrCase<"CONTIGUITY", 1, "contiguity">, I32EnumAttrCase<"CONSTANCY", 2, "constancy">]>;

def Tile_ReportKind : Tile_Enum<"ReportKind", "how a failed assertion shows its value", [
  I32EnumAttrCase<"SIGNED", 0, "signed">, I32EnumAttrCase<"UNSIGNED", 1, "unsigned">,
  I32EnumAttrCase<"FLOAT", 2, "float">, I32EnumAttrCase<"POINTER", 3, "pointer">]>;

def Tile_MachineRegister : Tile_Enum<"MachineRegister", "register of the machine", [
  I32EnumAttrCase<"GLOBALTIMER", 0, "globaltimer">, I32EnumAttrCase<"SMID", 1, "smid">]>;

def Tile_GridDependency : Tile_Enum<"GridDependency", "what to do about other launches", [
  I32EnumAttrCase<"WAIT", 0, "wait">,
  I32EnumAttrCase<"LAUNCH_DEPENDENTS", 1, "launch_dependents">]>;

#endif
