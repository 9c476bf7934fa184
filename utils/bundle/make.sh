#!/bin/bash
# utils/bundle/make.sh BUILD OUT: packs what the preset `release` built in BUILD into
# OUT/tritium-VERSION-linux-x86_64.tar.xz, and checks what a bundle promises: its size, the
# libraries that it needs, the glibc that it asks for.

set -eu
cd "$(dirname "$0")/../.."
build=$1 out=$2
version=$(sed -n 's/^project(Tritium VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=tritium-$version-linux-x86_64
stage=$out/$name
rm -rf "$stage"
mkdir -p "$stage"/{bin,lib,include/tritium,python,src,examples}

cp "$build/bin/tritium" "$stage/bin/"
cp "$build/lib/libtritium.so" "$stage/lib/"
cp -r include/tritium/{tritium.h,tritium.hpp,c,cpp} "$stage/include/tritium/"
cp -r python/tritium "$stage/python/"
find "$stage/python" -name __pycache__ -prune -exec rm -rf {} +
cp "$build"/python/tritium/_C*.so "$stage/python/tritium/"
cp -r examples/. "$stage/examples/"
find "$stage/examples" -name __pycache__ -prune -exec rm -rf {} +
mkdir "$stage/src/bindings" "$stage/src/nanobind"
cp python/bindings/*.cpp python/bindings/*.h "$stage/src/bindings/"
nanobind=$(sed -n 's/^nanobind_DIR:PATH=\(.*\)\/cmake$/\1/p' "$build/CMakeCache.txt")
cp -r "$nanobind"/{include,src,ext} "$stage/src/nanobind/"
cp utils/bundle/build-binding.sh utils/bundle/README.txt LICENSE "$stage/"
chmod +x "$stage/build-binding.sh"
strip --strip-unneeded "$stage"/lib/*.so "$stage"/python/tritium/_C*.so
strip "$stage/bin/tritium"

status=0
for file in "$stage"/lib/*.so "$stage/bin/tritium" "$stage"/python/tritium/_C*.so; do
  foreign=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vE '^(lib(c|m|dl|rt|pthread|tritium)\.so|ld-linux)' || true)
  [ -z "$foreign" ] || { echo "$file needs" $foreign >&2; status=1; }
  newest=$(readelf -V "$file" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -1)
  echo "$(basename "$file"): $(stat -c %s "$file") bytes, $newest"
  [ "$(printf '%s\n' "$newest" GLIBC_2.36 | sort -V | tail -1)" = GLIBC_2.36 ] ||
    { echo "$file asks for a newer glibc than 2.36" >&2; status=1; }
done
tar -C "$out" -cf - "$name" | xz -T0 -3 >"$out/$name.tar.xz"
size=$(stat -c %s "$out/$name.tar.xz")
echo "$out/$name.tar.xz: $size bytes"
[ "$size" -le $((40 << 20)) ] || { echo "the bundle is larger than 40 MiB" >&2; status=1; }
exit $status
