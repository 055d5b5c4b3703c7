/**
 * The fonts of a PDF, and the choice between them. Noto Sans SC has Chinese, Greek, Cyrillic and most Latin letters; Noto Sans the rarer
 * letters of European languages. What neither has is drawn as a square.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { create, type Font } from 'fontkit'

export type FontWeight = 'regular' | 'bold'
export type FontName = `${'chinese' | 'latin'}-${FontWeight}`

/** Files of installed packages. `scripts/image-packages.mjs` finds these names, and deletes all other fonts from the container image. */
const paths: Record<FontName, () => string> = {
  'chinese-regular': () => import.meta.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf'),
  'chinese-bold': () => import.meta.resolve('@expo-google-fonts/noto-sans-sc/600SemiBold/NotoSansSC_600SemiBold.ttf'),
  'latin-regular': () => import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
  'latin-bold': () => import.meta.resolve('@expo-google-fonts/noto-sans/600SemiBold/NotoSans_600SemiBold.ttf'),
}

const files = new Map<FontName, Buffer>()

function readFontFile(name: FontName): Buffer {
  const file = files.get(name) ?? readFileSync(fileURLToPath(paths[name]()))
  files.set(name, file)
  return file
}

/** A piece of text in one font. */
export interface TextPiece {
  text: string
  font: FontName
  /** Whether the text replaces a character that no font has. */
  isReplacement?: true
}

/** Drawn for a character that no font has. A text can also contain this character itself. */
const replacement = '□'

/** Fonts of one document. A font remembers which character a glyph was first used for, so documents must not share it. */
export class DocumentFonts {
  readonly #fonts = new Map<FontName, Font>()
  /** Widths of characters for a font size of 1, by font and character. */
  readonly #widths = new Map<string, number>()

  get(name: FontName): Font {
    const font = this.#fonts.get(name) ?? (create(readFontFile(name)) as Font)
    this.#fonts.set(name, font)
    return font
  }

  /** Returns the font for a whole word, so that its letters match, or null if no font has all its letters. */
  chooseForWord(word: string, weight: FontWeight): FontName | null {
    if (this.#hasAll(`chinese-${weight}`, word)) return `chinese-${weight}`
    return this.#hasAll(`latin-${weight}`, word) ? `latin-${weight}` : null
  }

  /** A character that no font has becomes its plain form, such as 𝐀 → A, or a square. */
  chooseForCharacter(character: string, weight: FontWeight): TextPiece {
    const font = this.chooseForWord(character, weight)
    if (font) return { text: character, font }
    const plainText = character.normalize('NFKC')
    const plainFont = this.chooseForWord(plainText, weight)
    if (plainFont) return { text: plainText, font: plainFont }
    return { text: replacement, font: `chinese-${weight}`, isReplacement: true }
  }

  measure({ text, font: name }: TextPiece): number {
    const key = `${name} ${text}`
    const font = this.get(name)
    const width = this.#widths.get(key) ?? font.layout(text).advanceWidth / font.unitsPerEm
    this.#widths.set(key, width)
    return width
  }

  #hasAll(name: FontName, text: string): boolean {
    const font = this.get(name)
    return Array.from(text).every((character) => font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0))
  }
}
