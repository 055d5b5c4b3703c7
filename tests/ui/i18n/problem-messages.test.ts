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

describe('formatProblem (M48)', () => {
  test('names the user and the action if the server sent them', () => {
    expect(formatLocked({ user: 'Li Wei', action: 'a backup' })).toBe(
      'Li Wei is doing a backup, please try again later.',
    )
  })

  test('describes an operation of a service, and names the provider instead of a missing user (M49)', async () => {
    expect(formatLocked({ user: 'Li Wei', action: 'reboot-service' })).toBe(
      'Li Wei is doing a reboot, please try again later.',
    )
    await i18n.changeLanguage('zh')
    expect(formatLocked({ user: null, action: 'update-service' })).toBe('服务商正在执行“更新服务”，请稍后再试。')
  })

  test('returns a complete sentence if a code comes without data, as from an address', async () => {
    for (const data of [null, {}, { user: 'Li Wei' }, 'text'])
      expect(formatLocked(data)).toBe('This is not possible right now. Please try again later.')
    await i18n.changeLanguage('zh')
    expect(formatLocked(null)).toBe('暂时无法操作，请稍后再试。')
  })

  test('states whose exports have reached the limit, and keeps the text of any other limit (fault 1g)', async () => {
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

  test('does not mention the memory of the program if the hosting platform counts none', async () => {
    const formatMemory = (perTask: string) => {
      const data = { tasks: '4', memory: '8000', beside: perTask, needed: '32000', free: '23337' }
      return formatProblem({ ...createLocalProblem('NO_MEMORY'), data })
    }
    expect(formatMemory('100')).toContain(
      'each with 8000 MB, plus 100 MB each for the program itself: 32000 MB in all.',
    )
    expect(formatMemory('0')).toContain('each with 8000 MB: 32000 MB in all. Free: 23337 MB.')
    await i18n.changeLanguage('zh')
    expect(formatMemory('0')).toContain('每个实例 8000 MB，合计 32000 MB；')
  })

  test('never uses data of the server as options of i18next', () => {
    expect(
      formatLocked({ user: 'Li Wei', action: 'a backup', lng: 'zh', ns: 'ui', defaultValue: 'x', keyPrefix: 'y' }),
    ).toBe('Li Wei is doing a backup, please try again later.')
  })
})

test.each(['en', 'zh'])(
  'The message OFFLINE does not claim to show data that is not on the device (%s) (fault 46b)',
  async (language) => {
    await i18n.changeLanguage(language)
    const words = formatProblem(createLocalProblem('OFFLINE'))
    expect(words).not.toMatch(/Showing|显示的是/)
    expect(words).toMatch(/not saved on this device|未保存在本设备上/)
  },
)
