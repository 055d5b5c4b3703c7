import { afterEach, describe, expect, test } from 'vitest'
import { createLocalProblem } from '#contract/problem.ts'
import en from '#locales/en/problem.json' with { type: 'json' }
import zh from '#locales/zh/problem.json' with { type: 'json' }
import enServices from '#locales/en/services.json' with { type: 'json' }
import zhServices from '#locales/zh/services.json' with { type: 'json' }
import { i18n } from '#ui/i18n/messages.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'

for (const [language, words] of [
  ['en', enServices],
  ['zh', zhServices],
] as const)
  i18n.addResourceBundle(language, 'services', words)
i18n.addResourceBundle('en', 'problem', en)
i18n.addResourceBundle('zh', 'problem', zh)
afterEach(async () => void (await i18n.changeLanguage('en')))

const formatLocked = (data: unknown) => formatProblem({ ...createLocalProblem('RESOURCE_LOCKED'), data })

describe('a problem in words (M48)', () => {
  test('names who and what where the server said so', () => {
    expect(formatLocked({ user: 'Li Wei', action: 'a backup' })).toBe(
      'Li Wei is doing a backup, please try again later.',
    )
  })

  test('says in words what is done to a service, and that the provider does it where no name is told (M49)', async () => {
    expect(formatLocked({ user: 'Li Wei', action: 'reboot-service' })).toBe(
      'Li Wei is doing a reboot, please try again later.',
    )
    await i18n.changeLanguage('zh')
    expect(formatLocked({ user: null, action: 'update-service' })).toBe('服务商正在执行更新服务，请稍后再试。')
  })

  test('is a whole sentence where nothing came with the code, as out of an address', async () => {
    for (const data of [null, {}, { user: 'Li Wei' }, 'text'])
      expect(formatLocked(data)).toBe('This is not possible right now. Please try again later.')
    await i18n.changeLanguage('zh')
    expect(formatLocked(null)).toBe('暂时无法操作，请稍后再试。')
  })

  test('fault 1g says whose exports are too many, and any other limit as before', async () => {
    const formatLimited = (data: unknown) => formatProblem({ ...createLocalProblem('RATE_LIMITED'), data })
    expect(formatLimited({ exportsOf: 'user', most: 2, retry_after: 5 })).toBe(
      'You already have 2 exports running. Wait until one of them has finished, then try again.',
    )
    expect(formatLimited({ retry_after: 5 })).toBe('Too many attempts. Wait a moment and try again.')
    await i18n.changeLanguage('zh')
    expect(formatLimited({ exportsOf: 'company', most: 4, retry_after: 5 })).toBe(
      '贵公司已有 4 个导出任务正在进行。请等其中一个完成后再试。',
    )
    expect(formatProblem(createLocalProblem('DOWNLOAD_CUT'))).toBe('下载中断，文件不完整。请重试。')
  })

  test('takes what the server sends for values, never for options of i18next', () => {
    expect(
      formatLocked({ user: 'Li Wei', action: 'a backup', lng: 'zh', ns: 'ui', defaultValue: 'x', keyPrefix: 'y' }),
    ).toBe('Li Wei is doing a backup, please try again later.')
  })
})

test.each(['en', 'zh'])(
  'fault 46b: nothing is said to be shown where the server cannot be reached and nothing is here (%s)',
  async (language) => {
    await i18n.changeLanguage(language)
    const words = formatProblem(createLocalProblem('OFFLINE'))
    expect(words).not.toMatch(/Showing|显示的是/)
    expect(words).toMatch(/not saved on this device|未保存在本设备上/)
  },
)
