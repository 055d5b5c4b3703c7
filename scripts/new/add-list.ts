import { applyChange } from '#scripts/new/edit-project.ts'
import { formatFiles } from '#scripts/new/format-files.ts'
import { buildListChange } from '#scripts/new/list-change.ts'
import { getNextMigrationNumber } from '#scripts/new/migration-names.ts'
import { type NounInput, toNounNames } from '#scripts/new/names.ts'
import { requireNewNoun } from '#scripts/new/require-new-noun.ts'

/** Writes a list page into the project in `root` and returns the paths of its files. Throws before it writes if the noun is not allowed. */
export function addList(root: string, noun: NounInput): string[] {
  const names = toNounNames(noun)
  requireNewNoun(root, names)
  const paths = applyChange(root, buildListChange(names, getNextMigrationNumber(root)))
  formatFiles(root, paths)
  return paths
}
