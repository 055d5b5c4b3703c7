/** What a new version does to open pages: it asks, it waits, it takes all tabs along, or it does nothing. The campaign has more. */
import { expect, it } from 'vitest'
import { openUpdates, patient } from '#tests/support/updates.ts'

const { the, bar, reload, enter, isSamePage, isLoadedAnew, lookForUpdate, buildOf, typeIn, typed } = openUpdates()

it('a new version asks, waits for what is typed in any tab, and then takes all tabs along (P-15, W-10)', async () => {
  const [first, second, third] = [await enter(), await enter(), await enter()]
  await typeIn(second)
  await the.served.deploy()
  await lookForUpdate(first)
  for (const page of [first, second, third]) await reload(page).waitFor()
  expect(await buildOf(first)).toBe(the.releases.older)

  await reload(first).click()
  await bar(first).getByText('what is typed in this or another tab').waitFor()
  expect(await Promise.all([first, second, third].map(isSamePage))).toEqual([true, true, true])
  expect(await typed(second)).toBe('Typed but not saved')

  await second.keyboard.press('Escape')
  await second.getByRole('button', { name: 'Discard' }).click()
  await Promise.all([first, second, third].map((page) => isLoadedAnew(page)))
  for (const page of [first, second, third]) await expect.poll(() => buildOf(page), patient).toBe(the.releases.newer)
  await expect.poll(() => bar(first).count(), patient).toBe(0)
})
