import { normaliseSearchText, type SearchQuery } from '#features/search/matching/query.ts'
import { hasHan, readSyllables } from '#features/search/matching/pinyin.ts'

export interface MarkedPart {
  text: string
  isMarked: boolean
}

/** Splits a text into the parts that match a term of the query and those that do not. */
export function markMatches(text: string, { terms }: SearchQuery): MarkedPart[] {
  const characters = [...text]
  const isMarked = characters.map(() => false)
  const { normalisedText, positions } = normaliseWithPositions(characters)
  for (const term of terms) {
    const index = normalisedText.indexOf(term)
    const range =
      index >= 0
        ? ([positions[index] ?? 0, (positions[index + term.length - 1] ?? 0) + 1] as const)
        : findReading(text, characters.length, term)
    if (range) isMarked.fill(true, range[0], range[1])
  }
  const parts: MarkedPart[] = []
  for (const [index, character] of characters.entries()) {
    const lastPart = parts.at(-1)
    if (lastPart && lastPart.isMarked === isMarked[index]) lastPart.text += character
    else parts.push({ text: character, isMarked: isMarked[index] ?? false })
  }
  return parts
}

/** `positions`: for each unit of the normalised text, the index of its character. */
function normaliseWithPositions(characters: readonly string[]) {
  const positions: number[] = []
  let normalisedText = ''
  for (const [index, character] of characters.entries()) {
    // A space is kept, although a normalised text has none at its ends.
    const normalisedCharacter = character.trim() === '' ? ' ' : normaliseSearchText(character)
    normalisedText += normalisedCharacter
    for (let unit = 0; unit < normalisedCharacter.length; unit++) positions.push(index)
  }
  return { normalisedText, positions }
}

/** Returns the range of characters whose initials or syllables are the term. */
function findReading(text: string, characterCount: number, term: string): readonly [from: number, to: number] | null {
  if (!hasHan(text)) return null
  for (const syllables of readSyllables(text)) {
    const initials = syllables.map((syllable) => (/^[a-z]/.test(syllable) ? syllable.charAt(0) : syllable))
    for (const parts of [initials, syllables, syllables.map((syllable) => syllable.replaceAll('v', 'u'))])
      for (let from = 0; from < parts.length; from++) {
        // A space has no reading.
        const to = parts[from] === '' ? null : findEnd(parts, from, term)
        if (to !== null) return [from, Math.min(to, characterCount)]
      }
  }
  return null
}

/** Returns the end of the parts from `from` that together start with the term. Null if they do not. */
function findEnd(parts: readonly string[], from: number, term: string): number | null {
  let reading = ''
  for (let index = from; index < parts.length; index++) {
    reading += parts[index]
    if (reading.startsWith(term)) return index + 1
    if (!term.startsWith(reading)) return null
  }
  return null
}
