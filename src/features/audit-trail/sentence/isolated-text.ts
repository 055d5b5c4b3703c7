/**
 * Isolates names in a sentence, so that a name in another direction does not reorder the words around it. The marks are FIRST STRONG
 * ISOLATE and POP DIRECTIONAL ISOLATE: plain text keeps them, `Sentence` turns them into `<bdi>`.
 */
const isolateStart = '\u2068'
const isolateEnd = '\u2069'

/** Characters of a name that would end the isolation or the line: older entries may contain them. */
const unsafePattern = /[\u202A-\u202E\u2066-\u2069\p{Cc}\p{Zl}\p{Zp}]/gu

export const isolate = (text: string): string => `${isolateStart}${text.replaceAll(unsafePattern, ' ')}${isolateEnd}`

/** Puts a space between Chinese characters and an isolated name in Latin letters or digits, which the browser does not space. */
export const spaceNames = (sentence: string): string =>
  sentence
    .replaceAll(/(\p{Script=Han})(\u2068)(?=[\p{Script=Latin}\d])/gu, '$1 $2')
    .replaceAll(/([\p{Script=Latin}\d])(\u2069)(?=\p{Script=Han})/gu, '$1$2 ')

export interface SentencePart {
  text: string
  isIsolated: boolean
}

/** Splits a sentence at its isolated names. */
export const splitSentence = (sentence: string): SentencePart[] =>
  sentence
    .split(/(\u2068[^\u2069]*\u2069)/)
    .filter((text) => text !== '')
    .map((text) =>
      text.startsWith(isolateStart) ? { text: text.slice(1, -1), isIsolated: true } : { text, isIsolated: false },
    )

/** For texts in which the marks would be read as characters, such as an accessible name. */
export const removeIsolates = (sentence: string): string => sentence.replaceAll(/[\u2068\u2069]/g, '')
