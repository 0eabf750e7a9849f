# cmake -DDEPFILE=x.d -DOUTPUT=y -P yaff-depfile.cmake: rewrites the dependency file that protoc wrote, which
# lists one raw path a line, as make and ninja read it: for one output, with spaces escaped.
file(READ "${DEPFILE}" text)
string(REGEX REPLACE "^.*\\.yaff\\.[ch]: " "" text "${text}")
string(REPLACE "\\\n " "\n" text "${text}")
string(REGEX REPLACE "([ #])" "\\\\\\1" text "${text}")
string(REPLACE "\$" "\$\$" text "${text}")
string(REPLACE "\n" " \\\n  " text "${text}")
string(REGEX REPLACE "([ #])" "\\\\\\1" output "${OUTPUT}")
string(REPLACE "\$" "\$\$" output "${output}")
file(WRITE "${DEPFILE}" "${output}: ${text}\n")
