import { pinyin } from 'pinyin-pro'

/** Longest text that may be a personal name, in characters. */
const maxNameLength = 4

const options = { toneType: 'none', type: 'array', v: true, nonZh: 'spaced' } as const

/** Returns the reading in context, and for a short text a second one with the reading of its surname, if it differs. */
export function readAllSyllables(text: string): string[][] {
  const syllables = pinyin(text, options).map(clean)
  if ([...text].length > maxNameLength) return [syllables]
  const nameSyllables = pinyin(text, { ...options, surname: 'head' }).map(clean)
  return syllables.join(' ') === nameSyllables.join(' ') ? [syllables] : [syllables, nameSyllables]
}

const clean = (syllable: string) => syllable.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
