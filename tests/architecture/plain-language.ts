/** Finds unclear words of this project's former language, and lists comment lines and test titles. */
import { parseSync } from 'vite'
import { readJson } from '#tests/architecture/tree.ts'

export const languageRules = readJson<{
  maxMarkedPercent: number
  maxCommentLinesPerThousand: number
  markers: string[]
}>('tests/architecture/plain-language.json')

const markerPattern = new RegExp(`\\b(?:${languageRules.markers.join('|')})\\b`, 'i')

/** Returns the first unclear word in a text, or undefined. */
export const findMarker = (text: string): string | undefined => markerPattern.exec(text)?.[0]

/** Returns the lines of comments that contain words, without comment signs. Leaves out instructions to tools. */
export function listCommentLines(file: string, text: string): string[] {
  const isInstruction = (line: string) => /^(@|#|biome|oxlint|eslint|chunk:)/.test(line)
  return parseSync(file, text).comments.flatMap(({ value }) =>
    value
      .split('\n')
      .map((line) => line.replace(/^[\s/*]+|[\s*]+$/g, ''))
      .filter((line) => /[a-z]{2}/i.test(line) && !isInstruction(line)),
  )
}

const titlePattern =
  /\b(?:it|test|describe|nightly)(?:\.\w+)*(?:\([^()]*\))?\(\s*(?<quote>['"`])(?<title>(?:\\.|(?!\k<quote>)[^\\])*)\k<quote>/g

export const listTestTitles = (text: string): string[] =>
  [...text.matchAll(titlePattern)].flatMap(({ groups }) => groups?.['title'] ?? [])
