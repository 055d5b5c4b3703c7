/** A waiting write whose row has no name. */
import { renderHook } from '@testing-library/react'
import { afterAll, expect, it } from 'vitest'
import { useEntryMessages } from '#features/outbox/entry-messages.ts'
import { addMessages, i18n } from '#ui/i18n/messages.ts'
import en from '#locales/en/outbox.json'
import zh from '#locales/zh/outbox.json'

addMessages('outbox', { en, zh })
afterAll(async () => void (await i18n.changeLanguage('en')))

it.each([
  ['en', 'createPriceList', 'price_lists', 'New price list'],
  ['zh', 'createPriceList', 'price_lists', '新建价目表'],
  ['zh', 'deleteUser', 'users', '删除用户'],
  ['en', 'disableUser', 'users', 'Disable a user'],
])('in %s, %s says the kind of row once', async (language, endpoint, table, expectedText) => {
  await i18n.changeLanguage(language)
  const { result } = renderHook(() => useEntryMessages())
  const entry = { endpoint, table, action: 'create' as const, input: {}, base: null }
  expect(result.current.describeWrite(entry as never, null)).toBe(expectedText)
})
