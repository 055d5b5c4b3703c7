/** Tests the texts for the app changes that an order makes to a running service (D44). */
import { afterEach, expect, it } from 'vitest'
import { formatAppChange } from '#features/orders/draft/ContractAppChanges.tsx'
import { type OrderAppChange, parseQuestion } from '#features/orders/draft/submit-order.ts'
import { i18n } from '#ui/i18n/messages.ts'

afterEach(async () => void (await i18n.changeLanguage('en')))

const appChanges: OrderAppChange[] = [
  { code: 'barcode', change: 'enter' },
  { code: 'pay', change: 'leave' },
  { code: 'framework', change: 'version', from: '1.9', to: '1.10' },
]
const data = { confirm_info: appChanges, confirm_key: 'k' }

it.each([
  ['en', ['is added', 'is removed', 'from 1.9 to 1.10']],
  ['zh', ['添加', '移除', '从 1.9 更新为 1.10']],
] as const)('Each app change is described as the server sent it (%s)', async (language, sentences) => {
  await i18n.changeLanguage(language)
  const question = parseQuestion({ status: 409, code: 'APP_CONFIRM', data, message: '', requestId: null })
  if (question?.kind !== 'apps') throw new Error('nothing is asked')
  expect(question.appChanges.map((change) => formatAppChange(change, i18n.getFixedT(null, 'wizard')))).toEqual(
    sentences,
  )
})
