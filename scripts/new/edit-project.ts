import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface FileEdit {
  path: string
  /** Returns the new text. Throws if the file does not look as expected. */
  edit: (text: string) => string
}

export interface ProjectChange {
  newFiles: Readonly<Record<string, string>>
  edits: readonly FileEdit[]
}

/** Inserts after the first match of the anchor. Throws if the anchor is missing. */
export function insertAfter(text: string, anchor: string, insertion: string): string {
  const end = findAnchor(text, anchor) + anchor.length
  return text.slice(0, end) + insertion + text.slice(end)
}

/** Inserts before the first match of the anchor. Throws if the anchor is missing. */
export function insertBefore(text: string, anchor: string, insertion: string): string {
  const index = findAnchor(text, anchor)
  return text.slice(0, index) + insertion + text.slice(index)
}

function findAnchor(text: string, anchor: string): number {
  const index = text.indexOf(anchor)
  if (index < 0) throw new Error(`"${anchor}" was not found`)
  return index
}

/** Inserts a line before the first match of the anchor, unless the text has that line already. */
export const insertLineOnce = (text: string, anchor: string, line: string): string =>
  text.split('\n').includes(line) ? text : insertBefore(text, anchor, `${line}\n`)

/** Adds a key to a JSON file, at the end of its object or of the object under `parent`. Throws if the key exists. */
export function addJsonKey(text: string, key: string, value: unknown, parent?: string): string {
  const json = JSON.parse(text) as Record<string, unknown>
  const target = parent === undefined ? json : (json[parent] as Record<string, unknown> | undefined)
  if (target === undefined) throw new Error(`"${parent}" was not found`)
  if (Object.hasOwn(target, key)) throw new Error(`"${key}" already exists`)
  target[key] = value
  return `${JSON.stringify(json, null, 2)}\n`
}

/** Writes the complete change or nothing: edits are computed before the first file is written. Returns the paths. */
export function applyChange(root: string, { newFiles, edits }: ProjectChange): string[] {
  for (const path of Object.keys(newFiles))
    if (existsSync(join(root, path)))
      throw new Error(`${path} already exists. Choose another name, or undo the earlier change with git first.`)
  const editedFiles = new Map<string, string>()
  for (const { path, edit } of edits) {
    const text = editedFiles.get(path) ?? readFileSync(join(root, path), 'utf8')
    try {
      editedFiles.set(path, edit(text))
    } catch (error) {
      throw new Error(
        `Could not edit ${path}: ${(error as Error).message}. Follow the steps in docs/recipes.md by hand.`,
        {
          cause: error,
        },
      )
    }
  }
  const allFiles = [...Object.entries(newFiles), ...editedFiles]
  for (const [path, text] of allFiles) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return allFiles.map(([path]) => path)
}
