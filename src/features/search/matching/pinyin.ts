/** Readings of Chinese names. The library is loaded when the first Chinese name is read (decision 105). */

import { pause } from '#features/search/pause.ts'

/** Longest part of a name that gets readings, in characters. */
const maxLength = 40

type PinyinLibrary = typeof import('#features/search/matching/pinyin-library.ts')
let library: PinyinLibrary | null = null
/** The load that has not ended yet, or has succeeded. */
let loadPromise: Promise<boolean> | null = null

export const hasHan = (text: string): boolean => /\p{Script=Han}/u.test(text)

/** Resolves to false if the library cannot be loaded now. Then Chinese names are matched by their characters only. */
export const loadPinyin = (): Promise<boolean> => (loadPromise ??= load())

async function load(): Promise<boolean> {
  try {
    const loadedLibrary = await import(/* chunk: pinyin */ '#features/search/matching/pinyin-library.ts')
    // Loading and the first reading both block the page for some frames. The pause lets it paint between them.
    await pause()
    loadedLibrary.readAllSyllables('中')
    await pause()
    library = loadedLibrary
    return true
  } catch {
    loadPromise = null
    return false
  }
}

/**
 * Returns the readings of a text, one syllable per character, other text in lower case between them: `['huan', 'qiu']`. A personal name gets
 * a second reading with its surname (曾 is "zeng" in a name). Empty if there is no Chinese character or the library is not loaded.
 */
export function readSyllables(text: string): readonly (readonly string[])[] {
  if (!library || !hasHan(text)) return []
  return library.readAllSyllables([...text].slice(0, maxLength).join(''))
}

/** Returns the texts by which a name is found in pinyin: initials and full readings (`hqmy`, `huanqiumaoyi`), ü as both `v` and `u`. */
export function toPinyinKeys(text: string): string[] {
  const keys = new Set<string>()
  for (const syllables of readSyllables(text)) {
    keys.add(syllables.map((syllable) => (/^[a-z]/.test(syllable) ? syllable.charAt(0) : syllable)).join(''))
    const fullReading = syllables.join('')
    keys.add(fullReading)
    keys.add(fullReading.replaceAll('v', 'u'))
  }
  return [...keys]
}
