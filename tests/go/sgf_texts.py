"""Records that tests share: well-formed, awkward and broken ones."""

AWKWARD = [
    "(;GM[1]FF[4]SZ[9];B[aa];W[bb](;B[cc];W[dd])(;B[ee]))",
    "(;C[a \\] b \\\\ c \\: d];B[aa]C[soft\\\nbreak])",
    "(;SZ[13:9]AB[aa:cc][ee]AW[ff];W[mi])",
    "(;GaMe[1]FileFormat[3]SiZe[19];Black[pd];White[dp])",
    "(;gm[1]sz[9];b[aa];w[bb])",
    "(KM[6.5];B[aa])",
    "(;SZ[9](;B[aa])(;B[bb](;W[cc])(;W[dd])))",
    "hello (;SZ[9];B[aa]) and (;SZ[9];B[bb]) bye",
    "\ufeff(;SZ[9];B[aa])",
    "(;SZ[9];B[aa];W[bb]",
    "(;SZ[9];B[aa](;W[bb]\n(;SZ[9];B[cc])",
    "(;SZ[9]C[never ends)(;SZ[9];B[aa])",
    "(;SZ[9];B[aa];W[",
    "(;SZ[9];B[aa](;W[bb](;GM[1]SZ[9];B[cc])",
    "(((;SZ[9];B[aa])))",
    "((;B[aa])(;W[bb]))",
    "(;B[aa]AB[bb]AB[cc]AB[dd])",
    "(;B[aa] ? hello 3 ;W[bb] ] [cc])",
    "(;B[aa]()(;W[bb]))",
    "()", "(", ")", "", "[", "(;", "(;)", "(B[", "((((", "))))", ";B[aa]", "(;B)", "(;B[aa)", "(;\\", "(;B[\\",
    "(;C[(;GM[1\\]\\])];B[aa])",
    "(;C[x)(;GM[a]b];B[aa])",
    "(;B[aa]\n [bb]\t[cc];W [dd])",
    "(;É[aa]C[é])",
]  # fmt: skip

SEEDS = [
    b"(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]RU[japanese]PB[a]PW[b]RE[B+3.5];B[ee];W[cc](;B[gg]C[a \\] b])(;B[gc];W[]))",
    b"(;SZ[19]HA[2]AB[pd][dp]KM[0.5]PL[W];W[dd];B[pp];W[tt];B[tt]TB[aa:cc]TW[ss])",
    b"(;SZ[9];B[aa])(;SZ[13:9];B[mi];W[aa])\n(;SZ[9]AE[aa]AB[bb]AW[cc];B[dd]W[ee])",
    "(;CA[GB2312]GM[1]SZ[19]PB[古力]PW[李世石]C[黑中盘胜];B[pd];W[dp])".encode("gb18030"),
    b"(;GM[1]SZ[19]KM[0]HA[0]AP[GNU Go:3.8]AP[foxwq]RE[W+R];B[pd];W[dd])",
]
