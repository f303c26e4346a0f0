// The head of the page: records to open, language and colours.

import { useState } from "preact/hooks";
import { recordOf, type Position } from "./api";
import type { Strings } from "./strings";

const EXAMPLE = "(;SZ[9]KM[7]RU[Chinese]RE[W+8];B[fd];W[cf];B[fg];W[dc];B[fc];W[dg];B[dd];W[cc];B[cd];W[bd];B[be];W[bc];B[ce];W[eb];B[bf];W[gb];B[hd];W[hc];B[gc];W[hb];B[fb];W[id];B[he];W[fa];B[ie];W[ec];B[eh];W[ed];B[ch];W[fe];B[ef];W[gf];B[gg];W[hf];B[hg];W[if];B[ig];W[ff];B[ee];W[gd];B[ad];W[ac];B[ae];W[];B[])";

interface Props {
  text: Strings;
  language: string;
  theme: string;
  pasting: boolean;
  setLanguage: (language: string) => void;
  setTheme: (theme: string) => void;
  setPasting: (pasting: boolean) => void;
  read: (source: Position) => Promise<void>;
}

export function Header({ text, language, theme, pasting, setLanguage, setTheme, setPasting, read }: Props) {
  const openFile = (event: Event) => {
    const input = event.currentTarget as HTMLInputElement;
    if (input.files?.[0]) void recordOf(input.files[0]).then(read);
    input.value = "";
  };
  const other = language === "de" ? "en" : "de";
  return (
    <>
      <header>
        <h1>{text.title}</h1>
        <label class="button">
          {text.open}
          <input type="file" accept=".sgf,.gz,text/plain" onChange={openFile} />
        </label>
        <button type="button" onClick={() => setPasting(!pasting)}>{text.paste}</button>
        <button type="button" onClick={() => void read({ sgf: EXAMPLE })}>{text.example}</button>
        <span class="grow" />
        <button type="button" aria-label={`${other.toUpperCase()} ${text.language}`} title={text.language} onClick={() => setLanguage(other)}>
          {other.toUpperCase()}
        </button>
        <button type="button" aria-label={text.theme} title={text.theme} onClick={() => setTheme(isDark(theme) ? "light" : "dark")}>◐</button>
      </header>
      {pasting && <PasteBox text={text} onRead={(sgf) => void read({ sgf })} onClose={() => setPasting(false)} />}
    </>
  );
}

const isDark = (theme: string) => (theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);

function PasteBox({ text, onRead, onClose }: { text: Strings; onRead: (sgf: string) => void; onClose: () => void }) {
  const [value, setValue] = useState("");
  return (
    <section class="paste">
      <textarea rows={5} placeholder={text.pasteHint} aria-label={text.pasteHint} value={value} onInput={(event) => setValue(event.currentTarget.value)} />
      <button type="button" onClick={() => onRead(value)}>{text.read}</button>
      <button type="button" onClick={onClose}>{text.cancel}</button>
    </section>
  );
}
