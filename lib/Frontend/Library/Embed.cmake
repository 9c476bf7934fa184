# Writes the library's files as one C++ source with their texts.
set(entries "")
foreach(file ${FILES})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"TRITIUM(${text})TRITIUM\"},\n")
endforeach()
file(WRITE ${OUTPUT} "namespace tritium::sema {
struct LibraryText {
  const char *name, *text;
};
extern const LibraryText kLibraryTexts[] = {
${entries}    {nullptr, nullptr}};
} // namespace tritium::sema
")
