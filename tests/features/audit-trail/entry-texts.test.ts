import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import '#features/audit-trail/translations.ts'
import { toFieldText, formatFilter } from '#features/audit-trail/format-value.ts'
import { findInfoKey } from '#features/audit-trail/find-entry-key.ts'
import type { AuditMenu } from '#domain/audit-log/leaf.ts'
import { i18n } from '#ui/i18n/messages.ts'
import { formatPriceFieldLabel, formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import en from '#locales/en/audit.json'
import zh from '#locales/zh/audit.json'

const formatField = (code: AuditMenu, field: string, value: unknown) =>
  toFieldText(i18n.getFixedT(i18n.language, 'audit'), field, value, { code })
const formatPriceChange = (field: string, value: string) =>
  `${formatPriceFieldLabel(field, 'floor')}: ${formatPriceFieldValue(field, value)}`

interface ExpectedTexts {
  language: string
  /** Expected texts of price changes. A key is the path and the new value of a change, separated by a space. */
  prices: Record<string, string>
  otherFields: [AuditMenu, field: string, value: unknown, words: string][]
}

const texts: ExpectedTexts[] = [
  {
    language: 'en',
    prices: {
      'concurrentUser.1-10.hkd 1260.00': 'Concurrent users 1–10, HKD: 1,260.00',
      'concurrentUser.51-999999.to 999999': 'Concurrent users 51–999,999, To: 999,999',
      'concurrentUser.0.hkd 1260.00': 'Concurrent users #1, HKD: 1,260.00',
      'namedUser.5-5.rmb 900.00': 'Named users 5, RMB: 900.00',
      'module.fin.usd 2310.00': 'Module fin, USD: 2,310.00',
      'module core, fin': 'Order of the modules: core, fin',
      'pdbPrice.pdb2s3_fee_hkd 6000.00': 'Backup to S3, annual fee, HKD: 6,000.00',
      'pdbPrice.pdb2s3_traffic 50.00': 'Backup to S3, free traffic a month: 50 GB',
      'pdbPrice.pdb2rds_discount 10.00': 'Backup to RDS, discount: 10%',
      'uat_charge 12.50': 'UAT charge: 12.5%',
      'uat_cap_hkd 5000.00': 'Minimum annual UAT fee, HKD: 5,000.00',
      'min_fee_rmb 18000.00': 'Minimum annual fee, RMB: 18,000.00',
      'min_named_user 1000': 'Minimum named users: 1,000',
      'confirmed true': 'Confirmed: Yes',
      'desc 12.50': 'Description: 12.50',
    },
    otherFields: [
      ['order', 'amount', '24287.67', '24,287.67'],
      ['order', 'Amount', 'HKD 24287.67', 'HKD 24,287.67'],
      ['order', 'users', 1200, '1,200'],
      ['order', 'period', 1, '1 year'],
      ['order', 'period', 3, '3 years'],
      ['order', 'uat', 1, 'Yes'],
      ['order', 'modules', ['core', 'fin'], 'core, fin'],
      ['order', 'price_id', 7, 'No. 7'],
      ['order', 'Outcome', 'another amount', 'Another amount was due'],
      ['order', 'Gateway', 'simulate', 'Simulated payment'],
      ['order', 'Field', 'calendar', 'Calendar link'],
      ['user', 'access_level', 100, 'Delete'],
      ['user', 'Field', 'second factor', 'Two-step login'],
      ['user', 'Change', 'renewed', 'Renewed'],
      ['user', 'Factor', 'set up', 'Set up at this login'],
      ['user', 'Reason', 'token reused', 'A copied session was used'],
      ['company', 'country', 'CN', 'China'],
      ['company', 'Change', 'required', 'Required for everybody'],
      ['service', 'TaskRuntimeMemory', 0, 'Left to the platform'],
      ['service', 'TaskDesireCount', -1, 'Left to the platform'],
      ['service', 'task_desire_count', 0, '0: stopped'],
      ['system', 'Format', 'xlsx', 'Excel file'],
      [
        'module',
        'apps',
        [
          { code: 'acc', flag: { beta: true, limit: 5 } },
          { code: 'hr', flag: {} },
        ],
        'acc (beta: Yes, limit: 5), hr',
      ],
      ['module', 'apps', [], '(empty)'],
      ['app', 'not_known', { a: 1, b: [true] }, 'a: 1, b: Yes'],
    ],
  },
  {
    language: 'zh',
    prices: {
      'concurrentUser.1-10.hkd 1260.00': '并发用户 1–10，HKD: 1,260.00',
      'module.fin.usd 2310.00': '模块 fin，USD: 2,310.00',
      'pdbPrice.pdb2s3_up_rmb 11.25': 'S3 备份超出部分每 GB 价格，RMB: 11.25',
      'uat_cap_hkd 5000.00': 'UAT 最低年费，HKD: 5,000.00',
      'confirmed false': '已确认: 否',
    },
    otherFields: [
      ['order', 'modules', ['core', 'fin'], 'core、fin'],
      ['order', 'period', 3, '3 年'],
      ['order', 'Outcome', 'refused', '退款被拒绝'],
      ['user', 'Field', 'passkey', '通行密钥'],
      ['user', 'access_level', 100, '删除'],
      ['module', 'apps', [{ code: 'acc', flag: { beta: true } }], 'acc（beta：是）'],
    ],
  },
]

describe.each(texts)('audit entries in $language', ({ language, prices, otherFields: others }) => {
  beforeAll(async () => void (await i18n.changeLanguage(language)))
  afterAll(async () => void (await i18n.changeLanguage('en')))

  it.each(Object.entries(prices))('show the price change %s as %s (fault 35b)', (change, expectedText) => {
    const [field = '', ...value] = change.split(' ')
    expect(formatPriceChange(field, value.join(' '))).toBe(expectedText)
  })

  it.each(others)(
    'of type %s show the field %s with the value %j as %s (fault 35c)',
    (code, field, value, expectedText) => {
      expect(formatField(code, field, value)).toBe(expectedText)
    },
  )
})

it('An entry about an export names the filters of the export (fault 35d)', async () => {
  await i18n.changeLanguage('en')
  const t = i18n.getFixedT('en', 'audit')
  expect(
    ['code', 'operation', 'status'].map((key) =>
      formatFilter(t, key, { code: 'price', operation: 'confirm', status: -1 }[key]),
    ),
  ).toEqual(['Price list', 'Confirm', 'Failed'])
})

it.each(['CompanyCode', 'Gateway', 'Waived', 'Epoch', 'RestoredSize', 'RestoredRoot', 'Sha256'])(
  'The field %s of an audit entry has a name in both languages (fault 35e)',
  (key) => {
    const textKey = findInfoKey(key)
    expect(textKey).toBeDefined()
    if (textKey) expect(zh.info[textKey]).not.toBe(en.info[textKey])
  },
)
