import { describe, expect, it } from 'vitest'
import { readCsv } from '#server/drivers/statements/read-csv.ts'
import { type StatementEntry, StatementError } from '#server/drivers/statements/statement.ts'

function readFault(content: string) {
  try {
    return readCsv(content)
  } catch (error) {
    if (error instanceof StatementError) return error.fault
    throw error
  }
}
const readFirst = (content: string): Partial<StatementEntry> => readCsv(content).entries[0] ?? {}
const build = (head: string, ...rows: string[]) => [head, ...rows].join('\n')

describe('a statement in CSV', () => {
  it('has entries with all their facts, and skips what was paid', () => {
    const content = build(
      'Booking date,Account number,Amount,Currency,Payer name,Remittance information,Bank reference,Balance',
      '2026-11-30,012-345,"1,234.50",HKD,"Acme, Ltd","PF202611\n000001",FT1,"5,000.00"',
      '2026-11-30,012-345,-5.00,HKD,Bank,Fee,FT2,"4,995.00"',
      '2026-11-30,012-345,10.00,EUR,Other,,FT3,"4,995.00"',
      '',
    )
    expect(readCsv(content)).toEqual({
      entries: [
        {
          account: '012-345',
          day: '2026-11-30',
          currency: 'HKD',
          amount: '1234.50',
          sender: 'Acme, Ltd',
          reference: 'PF202611 000001',
          bankReference: 'FT1',
        },
      ],
      skipped: 2,
    })
  })

  it.each([
    ['commas', 'Date,Amount,Currency,Payer\n2026-11-30,5.00,HKD,A'],
    ['semicolons', 'Date;Amount;Currency;Payer\n2026-11-30;5,00;HKD;A'],
    ['tabs', 'Date\tAmount\tCurrency\tPayer\n2026-11-30\t5.00\tHKD\tA'],
    ['a byte order mark', '\uFEFFDate,Amount,Currency,Payer\r\n2026-11-30,5.00,HKD,A\r\n'],
    ['the line of Excel', 'sep=;\nDate;Amount;Currency;Payer\n2026-11-30;5.00;HKD;A'],
    ['quoted heads', '"Date","Amount","Currency","Payer"\n"2026-11-30","5.00","HKD","A"'],
    ['columns in another order', 'Payer,Currency,Amount,Date\nA,HKD,5.00,2026-11-30'],
    ['credit and debit', 'Date,Debit,Credit,Ccy,Payer\n2026-11-30,,5.00,HKD,A\n2026-11-30,7.00,,HKD,B'],
    ['a mark of the direction', 'Date,Amount,DR/CR,Ccy,Payer\n2026-11-30,5.00,CR,HKD,A\n2026-11-30,7.00,DR,HKD,B'],
    ['lines above the head', 'Account number: 1,,,\nCurrency,HKD,,\nDate,Amount,Payer,\n2026-11-30,5.00,A,'],
    ['the currency in the head', 'Date,Amount (HKD),Payer\n2026-11-30,5.00,A'],
    ['empty cells and lines at the end', 'Date,Amount,Currency,Payer\n\n2026-11-30,5.00,HKD,A,,\n,,,\n'],
    ['an opening balance', 'Date,Credit,Debit,Ccy,Payer\n,,,HKD,Opening balance\n2026-11-30,5.00,,HKD,A'],
  ])('may have %s', (_, content) => {
    expect(readCsv(content).entries).toMatchObject([
      { day: '2026-11-30', amount: '5.00', currency: 'HKD', sender: 'A' },
    ])
  })

  it('may be in Chinese', () => {
    const content = build(
      '账号：6222 0000\t\t\t\t\t\t',
      '交易日期\t收入金额\t支出金额\t币种\t对方户名\t附言\t交易流水号',
      '20261130\t1,000.00\t\t人民币\t中国公司\tPF202611000001\t77',
      '20261130\t\t5.00\t人民币\t银行\t手续费\t78',
    )
    expect(readCsv(content)).toEqual({
      entries: [
        {
          account: '6222 0000',
          day: '2026-11-30',
          currency: 'RMB',
          amount: '1000.00',
          sender: '中国公司',
          reference: 'PF202611000001',
          bankReference: '77',
        },
      ],
      skipped: 1,
    })
    const signed = build(
      '日期,金额（元）,借贷标志,付款人,摘要',
      '2026年11月3日,1000,贷,甲,货款',
      '2026年11月3日,1,借,乙,',
    )
    expect(readCsv(signed).entries).toMatchObject([
      { day: '2026-11-03', amount: '1000.00', currency: 'RMB', sender: '甲' },
    ])
  })

  it.each([
    ['2026-11-30', '2026-11-30'],
    ['2026/11/30', '2026-11-30'],
    ['2026-11-30T23:59:59+08:00', '2026-11-30'],
    ['2026-11-30 09:05', '2026-11-30'],
    ['20261130', '2026-11-30'],
    ['20261130093000', '2026-11-30'],
    ['30.11.2026', '2026-11-30'],
    ['03.04.2026', '2026-04-03'],
    ['30.11.26', '2026-11-30'],
    ['30/11/2026', '2026-11-30'],
    ['30-11-2026', '2026-11-30'],
    ['11/30/2026', '2026-11-30'],
    ['05/05/2026', '2026-05-05'],
    ['30 Nov 2026', '2026-11-30'],
    ['30-Nov-26', '2026-11-30'],
    ['２０２６－１１－３０', '2026-11-30'],
  ])('reads the date %s', (text, day) => {
    expect(readFirst(build('Date,Amount,Currency', `${text},5.00,HKD`)).day).toBe(day)
  })

  it('distinguishes days and months by any row, also of money that was paid', () => {
    const head = 'Date,Amount,Currency'
    expect(readFirst(build(head, '03/04/2026,5.00,HKD', '13/04/2026,-1.00,HKD')).day).toBe('2026-04-03')
    expect(readFirst(build(head, '03/04/2026,5.00,HKD', '04/13/2026,-1.00,HKD')).day).toBe('2026-03-04')
    expect(readFault(build(head, '03/04/2026,5.00,HKD'))).toEqual({
      code: 'AMBIGUOUS_DATE',
      line: null,
      column: 'Date',
    })
    const mixed = build(head, '13/04/2026,5.00,HKD', '04/13/2026,5.00,HKD')
    expect(readFault(mixed)).toEqual({ code: 'BAD_DATE', line: 3, column: 'Date' })
  })

  it.each([
    ['1234', '1234.00'],
    ['1234.5', '1234.50'],
    ['1,234.50', '1234.50'],
    ['1.234,50', '1234.50'],
    ['1 234,50', '1234.50'],
    ["1'234.50", '1234.50'],
    ['1,234,567.00', '1234567.00'],
    ['1,234,567', '1234567.00'],
    ['12345,6', '12345.60'],
    ['+1.00', '1.00'],
    ['HKD 1.00', '1.00'],
    ['HK$1,000.00', '1000.00'],
    ['¥1.00', '1.00'],
    ['1.00 CR', '1.00'],
    ['１，０００．００', '1000.00'],
    ['0.01', '0.01'],
    ['9999999999999.99', '9999999999999.99'],
  ])('reads the amount %s', (text, amount) => {
    expect(readFirst(build('Date,Amount,Currency', `2026-11-30,"${text}",HKD`)).amount).toBe(amount)
  })

  it.each(['-1.00', '1.00-', '(1.00)', '−1.00', '1.00 DR', '0.00', '', '-'])('skips the amount "%s"', (text) => {
    expect(readCsv(build('Date,Amount,Currency', `2026-11-30,"${text}",HKD`))).toEqual({ entries: [], skipped: 1 })
  })

  it.each([
    ['Type', 'Credit', 'Debit'],
    ['D/C', 'C', 'D'],
    ['Transaction Type', 'CR', 'DR'],
    ['Debit or Credit', 'Credit', 'Debit'],
    ['借贷标记', '贷', '借'],
    ['收支标识', '收入', '支出'],
    ['A name that nobody knows', 'Deposit', 'Withdrawal'],
    ['Sign', '+', '-'],
  ])('is not paid money by the marks of the column "%s"', (name, credit, debit) => {
    const content = build(`Date,Amount,Ccy,${name}`, `2026-11-30,5.00,HKD,${credit}`, `2026-11-30,7.00,HKD,${debit}`)
    expect(readCsv(content)).toMatchObject({ entries: [{ amount: '5.00' }], skipped: 1 })
  })

  it('has no currency if two columns name different ones for received money', () => {
    const read = (...currencies: string[]) =>
      readFault(
        build(
          'Date,Transaction Amount,Transaction Currency,Amount,Currency',
          `2026-11-30,5.00,${currencies[0]},5.00,${currencies[1]}`,
          '2026-11-30,-7.00,USD,-55.00,HKD',
        ),
      )
    for (const currencies of [
      ['USD', 'HKD'],
      ['EUR', 'HKD'],
      ['USD', '?'],
      ['', ''],
    ])
      expect(read(...currencies)).toEqual({ code: 'BAD_CURRENCY', line: 2, column: 'Transaction Currency' })
    for (const currencies of [
      ['CNY', 'RMB'],
      ['RMB', ''],
      ['', 'CNY'],
    ])
      expect(read(...currencies)).toMatchObject({ entries: [{ amount: '5.00', currency: 'RMB' }], skipped: 1 })
    expect(read('EUR', 'GBP')).toEqual({ entries: [], skipped: 2 })
  })

  it('takes no other column for marks of the direction', () => {
    const read = (name: string, ...cells: string[]) =>
      readFault(build(`Date,Amount,Ccy,${name}`, ...cells.map((cell) => `2026-11-30,5.00,HKD,${cell}`)))
    for (const cells of [
      ['FPS', 'Transfer'],
      ['-', '-'],
      ['C', 'C'],
      ['', ''],
    ])
      expect(read('Type', ...cells)).toMatchObject({ entries: [{}, {}], skipped: 0 })
    expect(read('Branch', 'D', 'Main')).toMatchObject({ entries: [{}, {}], skipped: 0 })
    const fault = { code: 'BAD_DIRECTION', line: 3, column: 'Type' }
    expect(read('Type', 'Debit', 'Fee')).toEqual(fault)
    expect(read('Type', 'Debit', '')).toEqual(fault)
  })

  it.each([
    'abc',
    '1.2345',
    '1,23,456.00',
    '1.234.5',
    '--1',
    '1.00 1.00',
    '=1+1',
    '1e3',
    '10000000000000.00',
    '0.500',
    '∞',
  ])('refuses the amount "%s" with its line and column', (text) => {
    const content = build('Date,Amount,Currency', '2026-11-30,5.00,HKD', `2026-11-30,"${text}",HKD`)
    expect(readFault(content)).toEqual({ code: 'BAD_AMOUNT', line: 3, column: 'Amount' })
  })

  it('distinguishes decimals and thousands by any row', () => {
    const head = 'Date,Amount,Currency'
    const row = '2026-11-30,"1,234",HKD'
    expect(readFirst(build(head, row, '2026-11-30,5.00,HKD')).amount).toBe('1234.00')
    expect(readFault(build(head, row))).toEqual({ code: 'AMBIGUOUS_AMOUNT', line: 2, column: 'Amount' })
    expect(readFault(build(head, row, '2026-11-30,"5,00",HKD'))).toEqual({
      code: 'BAD_AMOUNT',
      line: 2,
      column: 'Amount',
    })
  })

  it.each([
    ['a text', 'Dear bank,\nplease send it again', 'UNKNOWN_FORMAT', null, null],
    ['no content', ' ', 'UNKNOWN_FORMAT', null, null],
    ['no column for the date', 'Amount,Currency\n5.00,HKD', 'UNKNOWN_FORMAT', null, null],
    ['no valid date', 'Date,Amount,Currency\n2026-02-30,5.00,HKD', 'BAD_DATE', 2, 'Date'],
    ['no date', 'Date,Amount,Currency\n,5.00,HKD', 'BAD_DATE', 2, 'Date'],
    ['no currency', 'Date,Amount\n2026-11-30,5.00', 'NO_CURRENCY', null, null],
    ['an empty currency', 'Date,Amount,Currency\n2026-11-30,5.00,', 'BAD_CURRENCY', 2, 'Currency'],
    ['a currency that is none', 'Date,Amount,Currency\n2026-11-30,5.00,?', 'BAD_CURRENCY', 2, 'Currency'],
    ['too many cells', 'Date,Amount,Currency\n2026-11-30,1,234.50,HKD', 'WRONG_COLUMN_COUNT', 2, null],
    ['a row that was cut', 'Date,Amount,Currency\n2026-11-30,5.00,HKD\n2026-11-30,5', 'WRONG_COLUMN_COUNT', 3, null],
    ['an open quotation mark', 'Date,Amount,Currency,Text\n2026-11-30,5.00,HKD,"a', 'BAD_QUOTES', 2, null],
    ['a column twice', 'Date,Amount,Currency,Amount\n2026-11-30,5.00,HKD,6.00', 'COLUMN_TWICE', 1, 'Amount'],
    ['both sides', 'Date,Credit,Debit,Ccy\n2026-11-30,5.00,5.00,HKD', 'BAD_AMOUNT', 2, 'Credit'],
    ['no direction', 'Date,Amount,CR/DR,Ccy\n2026-11-30,5.00,,HKD', 'BAD_DIRECTION', 2, 'CR/DR'],
  ])('with %s is refused', (_, content, code, line, column) => {
    expect(readFault(content)).toEqual({ code, line, column })
  })

  it('is refused with more than 10,000 entries, also if none is received money', () => {
    const rows = Array.from({ length: 10_001 }, () => '2026-11-30,-1.00,HKD')
    expect(readFault(build('Date,Amount,Currency', ...rows))).toMatchObject({ code: 'TOO_MANY_ENTRIES' })
  })

  it('has no line breaks and no characters that change the text direction in its texts', () => {
    const content = build('Date,Amount,Currency,Payer,Text', '2026-11-30,5.00,HKD,"A\r\n\u202EB\u0000","x\t\ty"')
    expect(readFirst(content)).toMatchObject({ sender: 'A B', reference: 'x y' })
  })
})
