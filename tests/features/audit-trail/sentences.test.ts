import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import '#features/audit-trail/translations.ts'
import { auditMenus, auditOperations } from '#domain/audit-log/leaf.ts'
import { chooseSentence, type SentenceEntry } from '#features/audit-trail/sentence/choose-sentence.ts'
import { removeIsolates, splitSentence } from '#features/audit-trail/sentence/isolated-text.ts'
import { createEntryFormatter } from '#features/audit-trail/use-entry-formatter.ts'
import en from '#locales/en/sentences.json'
import enProblems from '#locales/en/problem.json'
import zh from '#locales/zh/sentences.json'
import zhProblems from '#locales/zh/problem.json'
import { addMessages, i18n } from '#ui/i18n/messages.ts'
import { doneCases, failedCases, type SentenceCase } from '#tests/support/audit-trail/sentence-entries.ts'

addMessages('problem', { en: enProblems, zh: zhProblems })

const toEntry = (kind: string, fields: Partial<SentenceEntry> = {}, status: 0 | -1 = 0): SentenceEntry => {
  const [code, operation = ''] = kind.split('.')
  return {
    code: code as SentenceEntry['code'],
    operation,
    status,
    info: {},
    changes: [],
    exec_user_id: 5,
    exec_user_name: 'Amelia Chan',
    by_provider: false,
    request_id: '9b2f',
    ...fields,
  }
}

const toCases = (sentenceCases: readonly SentenceCase[], status: 0 | -1) =>
  sentenceCases.map(([sentence, kind, fields]) => ({ sentence, entry: toEntry(kind, fields, status) }))
const allCases = [...toCases(doneCases, 0), ...toCases(failedCases, -1)]

const createFormatter = (language: 'en' | 'zh') =>
  createEntryFormatter(i18n.getFixedT(language, 'audit'), i18n.getFixedT(language, 'sentences'), 'floor')
const formatSentence = (entry: SentenceEntry, language: 'en' | 'zh' = 'en', withPerson = true) =>
  removeIsolates(createFormatter(language).formatSentence(entry, withPerson))

const removePlural = (name: string) => name.replace(/_(one|other)$/, '')

describe('sentences of audit entries', () => {
  it.each(allCases)('say "$sentence"', ({ sentence, entry }) => {
    expect(formatSentence(entry)).toBe(sentence)
  })

  it('name the member of the staff who made a change under a consent', () => {
    const info = { UserName: 'Tim', StaffName: 'Stefan Staff', ConsentId: 3, ChangeCount: 0 }
    const entry = toEntry('user.update', { exec_user_id: null, exec_user_name: '', by_provider: true, info })
    expect(formatSentence(entry)).toMatch(/^Stefan Staff \(provider staff, by consent\) /)
    expect(formatSentence(entry, 'zh')).toMatch(/^Stefan Staff（服务商员工，经授权）/)
  })

  it('have an example for every text', () => {
    const names = [
      ...Object.keys(en.done).map((name) => `done.${name}`),
      ...Object.keys(en.failed).map((name) => `failed.${removePlural(name)}`),
    ]
    const operations: readonly string[] = auditOperations
    const usedNames = new Set<string | null>(allCases.map(({ entry }) => chooseSentence(entry)))
    const unusedNames = names.filter((name) => !usedNames.has(name) && !operations.includes(name.split('.')[1] ?? ''))
    expect(unusedNames).toEqual([])
  })

  it.each([
    ['en', en],
    ['zh', zh],
  ] as const)('begin with the person in %s', (_language, { unknown, done, failed }) => {
    const texts = [unknown, ...Object.values(done), ...Object.values(failed)]
    expect(texts.filter((text) => !text.startsWith('{{person}}'))).toEqual([])
  })

  it.each(['en', 'zh'] as const)('exist for every type, operation and outcome in %s', (language) => {
    const faults = auditMenus.flatMap((code) =>
      auditOperations.flatMap((operation) =>
        ([0, -1] as const)
          .map((status) => formatSentence(toEntry(`${code}.${operation}`, {}, status), language))
          .filter(
            (text) =>
              !/^Amelia Chan.*\S/.test(text) || /[{}]|done\.|failed\.|undefined|null|did this|执行了/.test(text),
          ),
      ),
    )
    expect(faults).toEqual([])
  })

  it('stay readable for a type and operation that are newer than this build', () => {
    const entry = toEntry('voucher.rotate', { info: { VoucherCode: 'v-7' } })
    expect(formatSentence(entry)).toBe('Amelia Chan did this: rotate, v-7')
    expect(formatSentence(entry, 'zh')).toBe('Amelia Chan 执行了操作：rotate，v-7')
    expect(createFormatter('en').formatType(entry)).toBe('voucher')
  })

  it('begin with the verb if the person has a column', () => {
    const [paid] = allCases.filter(({ sentence }) => sentence.endsWith('paid HKD 29,000.00 for acdesenl'))
    expect(paid && formatSentence(paid.entry, 'en', false)).toBe('Paid HKD 29,000.00 for acdesenl')
    expect(paid && formatSentence(paid.entry, 'zh', false)).toBe('为 acdesenl 支付了 HKD 29,000.00')
  })

  it('name the portal once, and never "automatically"', () => {
    const entry = toEntry('service.create', {
      exec_user_id: null,
      exec_user_name: '',
      info: { ServiceCode: 'acdesenl', By: 'schedule' },
    })
    const formatter = createFormatter('en')
    expect(formatter.formatUser(entry)).toBe('The portal')
    expect(formatter.listFacts(entry)).toEqual([['Service code', 'acdesenl']])
  })

  it('show hostile names as text, on one line and isolated', () => {
    const name = '<b>Eve</b> {{object}} $t(done.login)\u202Eevil\u2069\nline'
    const sentence = createFormatter('en').formatSentence(
      toEntry('user.delete', { exec_user_name: name, info: { UserName: name } }),
    )
    const cleanName = '<b>Eve</b> {{object}} $t(done.login) evil  line'
    expect(splitSentence(sentence)).toEqual([
      { text: cleanName, isIsolated: true },
      { text: ' deleted the user ', isIsolated: false },
      { text: cleanName, isIsolated: true },
    ])
  })

  it('shorten long values', () => {
    const sentence = formatSentence(
      toEntry('company.update', { changes: [{ field: 'city', before: 'x'.repeat(5000), after: 'y' }] }),
    )
    expect(sentence).toBe(`Amelia Chan changed the company – City: ${'x'.repeat(60)}… → y`)
  })
})

describe('sentences in Chinese', () => {
  beforeAll(async () => void (await i18n.changeLanguage('zh')))
  afterAll(async () => void (await i18n.changeLanguage('en')))

  it.each([
    ['paid HKD 29,000.00 for acdesenl', '陈美玲为 acdesenl 支付了 HKD 29,000.00'],
    ['changed the roles of Tim Timed: Order added', '陈美玲更改了 Tim Timed 的角色：添加订购'],
    [
      '23 more in the price list of 2027-01-01',
      '陈美玲更改了 2027-01-01 起生效的价目表，并发用户 1–10，HKD：1,260.00 → 1,300.00；模块 fin，USD：2,310.00 → 2,400.00，另有 23 项',
    ],
    ['changed their own profile – Language: English → Chinese', '陈美玲更改了个人资料，语言：英文 → 中文'],
    ['sent the activation e-mail to Tim Timed', '陈美玲向 Tim Timed 发送了激活邮件'],
    ['tried 20 times to log in as Tim Timed, without success', '有人尝试以 Tim Timed 的身份登录 20 次，均未成功'],
    ['restored a backup of acdesenl to acother', '陈美玲将 acdesenl 的备份恢复到 acother'],
  ])('say "… %s" as "%s"', (ending, sentence) => {
    const [match] = allCases.filter((candidate) => candidate.sentence.endsWith(ending))
    if (!match) throw new Error('no such example')
    const { entry } = match
    const person = entry.exec_user_id === null ? {} : { exec_user_name: '陈美玲' }
    expect(formatSentence({ ...entry, ...person }, 'zh')).toBe(sentence)
  })
})
