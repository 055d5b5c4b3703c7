/** Finds missing texts on a page. The page shows the key instead (`ui/i18n/messages.ts`). */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type TextTree = { [key: string]: string | TextTree }

const folder = join(import.meta.dirname, '..', '..', '..', 'src', 'locales')
const readLocaleFiles = (language: string) =>
  readdirSync(join(folder, language)).map(
    (file) => JSON.parse(readFileSync(join(folder, language, file), 'utf8')) as TextTree,
  )
const flattenTexts = (texts: TextTree, prefix = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? [[prefix + key, text]] : flattenTexts(text, `${prefix}${key}.`),
  )
const entries = ['en', 'zh'].flatMap((language) => readLocaleFiles(language).flatMap((texts) => flattenTexts(texts)))
const words = new Set(entries.map(([, text]) => text))
/** Keys with a dot. No name of a user or company looks like one. */
export const messageKeys: ReadonlySet<string> = new Set(
  entries.map(([key]) => key).filter((key) => key.includes('.') && !words.has(key)),
)

export const findMissingTexts = (texts: readonly string[]): string[] => texts.filter((text) => messageKeys.has(text))
