import { describe, expect, it } from 'vitest'
import { readBankAccounts } from '#server/config/bank-accounts.ts'
import { StartProblem } from '#server/config/config.ts'

const account = { currency: 'HKD', holder: 'Example Ltd.', bank: 'Example Bank', account: '012-345' }
const read = (value: unknown, isDemo = false) =>
  readBankAccounts({ BANK_ACCOUNTS: typeof value === 'string' ? value : JSON.stringify(value) }, { demo: isDemo })

describe('BANK_ACCOUNTS', () => {
  it('is empty by default, and has an account for each currency in the demo', () => {
    expect(readBankAccounts({}, { demo: false })).toEqual([])
    expect(read('  ')).toEqual([])
    expect(readBankAccounts({}, { demo: true }).map(({ currency }) => currency)).toEqual(['HKD', 'USD', 'RMB'])
    expect(read('[]', true)).toEqual([])
  })

  it('is a list of accounts, of which bank code and address may be left out', () => {
    const full = {
      ...account,
      currency: 'USD',
      bic: 'EXAMHKHH',
      address: '1 Example Road',
      account: 'DE89 3704 0044 0532 0130 00',
    }
    expect(read([account, full])).toEqual([{ ...account, bic: null, address: null }, full])
    expect(read([{ ...account, bic: ' ', address: null }])).toEqual([{ ...account, bic: null, address: null }])
  })

  it.each([
    ['no JSON', 'HKD 012-345', 'is not a JSON list'],
    ['one account', account, 'is not a JSON list'],
    ['a text in the list', ['HKD'], '(number 1) that is not an object'],
    ['no holder', [{ ...account, holder: undefined }], '(number 1) with a wrong or missing "holder"'],
    [
      'an empty bank',
      [account, { ...account, currency: 'USD', bank: '' }],
      '(number 2) with a wrong or missing "bank"',
    ],
    ['another currency', [{ ...account, currency: 'CNY' }], '"currency"'],
    ['a line break', [{ ...account, address: 'a\nb' }], '"address"'],
    ['an unknown field', [{ ...account, iban: 'x' }], '"iban"'],
    ['two accounts of a currency', [account, account], 'has two accounts for HKD'],
    ['an IBAN with a typing error', [{ ...account, account: 'DE89370400440532013001' }], 'IBAN with a typing error'],
  ])('with %s ends the start with a sentence that names no value', (_, value, text) => {
    let message = ''
    try {
      read(value)
    } catch (error) {
      if (error instanceof StartProblem) message = error.message
    }
    expect(message).toContain('BANK_ACCOUNTS')
    expect(message).toContain(text)
    expect(message.replace(/It must be a JSON list like .*$/, '')).not.toMatch(/012-345|DE89|Example/)
  })
})
