# cmake -DFILES=<list> -DOUTPUT=<file.cc> -P embed_text.cmake
# Writes the table that src/codegen/cuda/device_headers.h declares: the text of each file by its name.

set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(FIND "${text}" ")cupola-text\"" delimiter)
  if(NOT delimiter EQUAL -1)
    message(FATAL_ERROR "${file} contains the delimiter of the generated raw strings")
  endif()
  string(APPEND rows "    {\"${name}\", R\"cupola-text(${text})cupola-text\"},\n")
endforeach()
list(LENGTH FILES count)

file(WRITE ${OUTPUT}
  "#include \"codegen/cuda/device_headers.h\"\n\n"
  "namespace cupola {\n\n"
  "const EmbeddedFile kDeviceHeaders[] = {\n${rows}    {},\n};\n"
  "const std::size_t kDeviceHeaderCount = ${count};\n\n"
  "std::string_view device_header(std::string_view name) {\n"
  "  for (const EmbeddedFile& file : kDeviceHeaders) {\n"
  "    if (file.name == name) return file.text;\n"
  "  }\n"
  "  return {};\n"
  "}\n\n"
  "}  // namespace cupola\n")
