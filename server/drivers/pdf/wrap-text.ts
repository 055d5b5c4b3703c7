/** Breaks texts into lines that fit a width. */
import { cleanText, splitCharacters } from '#server/drivers/pdf/clean-text.ts'
import type { DocumentFonts, FontWeight, TextPiece } from '#server/drivers/pdf/fonts.ts'

export interface TextStyle {
  size: number
  weight: FontWeight
  color: string
}

export interface TextLine {
  pieces: TextPiece[]
  width: number
}

const ideograph =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\u3000-\u303f\uff01-\uff60□]/u
/** Characters that never begin a line, and those that never end one. */
const closing = /^[\p{Pe}\p{Pf}、。，．：；！？）】》」』%‰°,.:;!?]/u
const opening = /^[\p{Ps}\p{Pi}（【《「『]/u

/** Returns the characters of a text with their fonts. */
function choosePieces(fonts: DocumentFonts, text: string, weight: FontWeight): TextPiece[] {
  const words = splitCharacters(cleanText(text)).reduce<string[][]>((splitWords, character) => {
    const word = splitWords.at(-1)
    const isAlone = character === ' ' || ideograph.test(character)
    const isAfterAlone = word === undefined || word[0] === ' ' || ideograph.test(word[0] ?? '')
    if (isAlone || isAfterAlone) splitWords.push([character])
    else word.push(character)
    return splitWords
  }, [])
  return words.flatMap((characters) => {
    const font = fonts.chooseForWord(characters.join(''), weight)
    return font
      ? characters.map((character) => ({ text: character, font }))
      : characters.map((character) => fonts.chooseForCharacter(character, weight))
  })
}

/** Whether a line break is allowed between two characters. */
function canBreakBetween(before: string, after: string): boolean {
  if (before === ' ') return true
  if (after === ' ' || closing.test(after) || opening.test(before)) return false
  return ideograph.test(before) || ideograph.test(after) || /[-/–—]/.test(before)
}

/** Returns at least one line. A word that is longer than `width` is broken anywhere. */
export function wrapText(
  fonts: DocumentFonts,
  text: string,
  { size, weight }: Pick<TextStyle, 'size' | 'weight'>,
  width: number,
): TextLine[] {
  const pieces = choosePieces(fonts, text, weight)
  const widths = pieces.map((piece) => fonts.measure(piece) * size)
  const lines: TextLine[] = []
  for (let start = 0; start < pieces.length || lines.length === 0; ) {
    const end = findLineEnd(pieces, widths, start, width)
    lines.push(joinPieces(pieces.slice(start, end), widths.slice(start, end)))
    start = end
    while (pieces[start]?.text === ' ') start++
  }
  return lines
}

/** Returns the end of a line that begins at `start`, exclusive. */
function findLineEnd(pieces: TextPiece[], widths: number[], start: number, width: number): number {
  let lineWidth = 0
  let lastBreak = start
  for (let index = start; index < pieces.length; index++) {
    const text = pieces[index]?.text ?? ''
    if (index > start && canBreakBetween(pieces[index - 1]?.text ?? '', text)) lastBreak = index
    lineWidth += widths[index] ?? 0
    if (lineWidth > width && index > start && text !== ' ') return lastBreak > start ? lastBreak : index
  }
  return pieces.length
}

/** Joins characters of the same font, so that they are drawn in few steps. Spaces at the end are left out. */
function joinPieces(pieces: TextPiece[], widths: number[]): TextLine {
  let end = pieces.length
  while (end > 0 && pieces[end - 1]?.text === ' ') end--
  const joinedPieces = pieces.slice(0, end).reduce<TextPiece[]>((runs, piece) => {
    const last = runs.at(-1)
    if (last && last.font === piece.font && last.isReplacement === piece.isReplacement) last.text += piece.text
    else runs.push({ ...piece })
    return runs
  }, [])
  return { pieces: joinedPieces, width: widths.slice(0, end).reduce((sum, each) => sum + each, 0) }
}
