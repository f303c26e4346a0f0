// A sentence that the service wrote.

import { translate, type Strings } from "./strings";

/** Show a sentence in the language of the page if it is known there, otherwise in English and marked as such. */
export function Sentence({ sentence, text }: { sentence: string; text: Strings }) {
  const translated = translate(sentence, text);
  return translated ? <span>{translated}</span> : <span lang="en">{sentence}</span>;
}
