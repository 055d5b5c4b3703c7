/** Tests that the list of dialogs (`dialogs.ts`) has every file that renders one, so that a new dialog is checked by axe or has a reason. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  crawledDialogs,
  dialogFrames,
  sweptDialogs,
  uncheckedDialogs,
  visitedDialogs,
} from '#tests/support/browser/dialogs.ts'
import { adminScreens } from '#tests/support/browser/screens.ts'

const source = join(import.meta.dirname, '..', '..', 'src')

const dialogElement = /<(Dialog|ActionDialog|FormDrawer|TypedConfirmation|dialog)\b/

it('Every file that renders a dialog is in the list of dialogs, and no other file is', () => {
  const dialogFiles = globSync('**/*.tsx', { cwd: source }).filter((file) =>
    dialogElement.test(readFileSync(join(source, file), 'utf8')),
  )
  const listedFiles = [
    ...Object.values(crawledDialogs).flatMap((dialogs) => Object.keys(dialogs)),
    ...Object.keys(sweptDialogs),
    ...Object.keys(visitedDialogs),
    ...dialogFrames,
    ...Object.keys(uncheckedDialogs),
  ]
  expect(listedFiles.toSorted()).toEqual(dialogFiles.toSorted())
})

it('The dialogs of the sweep belong to its screens', () => {
  const screenNames = adminScreens.map(({ name }) => name)
  expect(screenNames).toEqual(expect.arrayContaining(Object.values(sweptDialogs)))
})
