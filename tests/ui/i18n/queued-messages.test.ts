import { afterEach, expect, it, vi } from 'vitest'
import en from '#locales/en/ui.json'
import zh from '#locales/zh/ui.json'
import { i18n } from '#ui/i18n/messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'

i18n.addResourceBundle('en', 'ui', en)
i18n.addResourceBundle('zh', 'ui', zh)
afterEach(async () => {
  vi.unstubAllGlobals()
  await i18n.changeLanguage('en')
})

const readSavedMessage = async (language: string, onLine: boolean) => {
  vi.stubGlobal('navigator', { onLine })
  await i18n.changeLanguage(language)
  return formatQueuedMessage({})
}

it('The message of a write queued while online does not mention a missing connection (fault 31d)', async () => {
  expect(await readSavedMessage('en', false)).toBe("Saved on this device. Sent when you're back online.")
  expect(await readSavedMessage('en', true)).toBe(
    'Saved on this device. It is sent automatically as soon as the server can be reached.',
  )
  expect(await readSavedMessage('zh', true)).not.toContain('联网后')
})
