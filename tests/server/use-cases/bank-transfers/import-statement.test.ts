/** Tests that statements add each transfer once, and that a file that cannot be read adds nothing (decision 124). */
import { expect, onTestFinished, test } from 'vitest'
import { maxStatementSize } from '#contract/staff/bank-transfers.ts'
import { setUpTransfers } from '#tests/support/orders/bank-transfers.ts'
import { eachEngineByNight } from '#tests/support/server/database.ts'

const head = 'Date,Account,Amount,Currency,Payer,Text,Transaction reference'
const build = (...rows: string[]) => [head, ...rows].join('\n')
const first = '2026-03-01,012,100.00,HKD,Alpha,Invoice,FT1'
const second = '2026-03-02,012,200.00,HKD,Beta,Order,FT2'
const third = '2026-03-02,012,300.00,HKD,Gamma,,'

const buildCamt = (...amounts: string[]) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><Othr><Id>012</Id></Othr></Id></Acct>
${amounts
  .map(
    (amount, index) =>
      `<Ntry><NtryRef>${index + 1}</NtryRef><Amt Ccy="HKD">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
<BookgDt><Dt>2026-03-01</Dt></BookgDt></Ntry>`,
  )
  .join('')}</Stmt></BkToCstmrStmt></Document>`

eachEngineByNight('imported statements', (engine) => {
  const setup = setUpTransfers(engine)
  const { actors, importFile, countTransfers, list, recordTransfer, credit, post } = setup
  const importRows = async (...rows: string[]) => (await importFile(build(...rows))).json()

  /** Until the end of the test. Each is an account in HKD. */
  const setBankAccounts = (numbers: string[]) => {
    const { app } = setup.fixture.server
    const { payments } = app
    const names = { currency: 'HKD', holder: 'M18', bank: 'Test Bank', bic: null, address: null } as const
    app.payments = { ...payments, bankAccounts: numbers.map((account) => ({ ...names, account })) }
    onTestFinished(() => void (app.payments = payments))
  }

  test('become open transfers once, however often and in which parts they are imported', async () => {
    expect(await importRows(first, second)).toEqual({ added: 2, known: 0, skipped: 0 })
    expect(await importRows(first, second)).toEqual({ added: 0, known: 2, skipped: 0 })
    expect(await importRows(second, third, '2026-03-02,012,-5.00,HKD,Bank,Fee,FT3')).toEqual({
      added: 1,
      known: 1,
      skipped: 1,
    })
    expect(await importRows(third, first)).toEqual({ added: 0, known: 2, skipped: 0 })
    expect((await list()).open).toMatchObject([
      {
        day: '2026-03-01',
        account: '012',
        amount: '100.00',
        sender: 'Alpha',
        bank_reference: 'FT1',
        source: 'statement',
      },
      { day: '2026-03-02', amount: '200.00', sender: 'Beta', reference: 'Order' },
      { day: '2026-03-02', amount: '300.00', sender: 'Gamma', reference: '', bank_reference: '' },
    ])
  })

  test('keep equal transfers of one day apart, with and without a number of the bank', async () => {
    expect(await importRows(third, third, first, first)).toEqual({ added: 4, known: 0, skipped: 0 })
    expect(await importRows(third, third, third, first)).toEqual({ added: 1, known: 3, skipped: 0 })
    const other = third.replace('Gamma', 'Delta')
    const daily = first.replace('2026-03-01', '2026-03-02')
    expect(await importRows(other, daily, first.replace('012', '013'))).toEqual({ added: 3, known: 0, skipped: 0 })
    const camt = buildCamt('5.00', '5.00', '6.00')
    expect((await importFile(camt)).json()).toEqual({ added: 3, known: 0, skipped: 0 })
    // A bank that counts entries from 1 in each file gives them other numbers.
    expect((await importFile(buildCamt('6.00', '5.00', '5.00', '7.00'))).json()).toEqual({
      added: 1,
      known: 3,
      skipped: 0,
    })
  })

  test('are added once if two members of the staff import at the same time', async () => {
    const responses = await Promise.all([1, 2, 3].map(() => importFile(build(first, second, third))))
    const added = responses.map((response) => (response.json() as { added: number }).added)
    expect(added.toSorted()).toEqual([0, 0, 3])
    expect(await countTransfers()).toBe(3)
  })

  test('know what the staff have recorded by hand, and the staff cannot record what was imported', async () => {
    await recordTransfer({ day: '2026-03-01', amount: '100.00', bank_reference: 'ft1' })
    expect(await importRows(first, second)).toEqual({ added: 1, known: 1, skipped: 0 })
    const repeated = await setup.record({ day: '2026-03-02', amount: '200.00', bank_reference: 'FT2' })
    expect(repeated.json()).toMatchObject({ data: [{ field: 'bank_reference', code: 'DUPLICATE' }] })
    expect(await countTransfers()).toBe(2)
  })

  test('know an account however it is written', async () => {
    const write = (account: string) => [first, third].map((row) => row.replace(',012,', `,${account},`))
    expect(await importRows(...write('hk 012-345 678'))).toMatchObject({ added: 2, known: 0 })
    expect(await importRows(...write('HK012345678'))).toMatchObject({ added: 0, known: 2 })
    expect(await importRows(...write('ＨＫ012.345.678'))).toMatchObject({ added: 0, known: 2 })
    expect(await importRows(...write('HK012345679'))).toMatchObject({ added: 2, known: 0 })
  })

  test.each([
    ['an IBAN', 'GB29 NWBK 6016 1331 9268 19', ['GB29NWBK60161331926819', '60-16-13 31926819', '31926819', '']],
    ['a number', '012-345-678901-001', ['012345678901001', '345 678901 001', '']],
  ])('know %s of the settings, however the file names it', async (_case, account, spellings) => {
    setBankAccounts([account])
    for (const own of spellings) {
      for (const other of spellings) {
        const amount = `${spellings.indexOf(own) + 1}${spellings.indexOf(other)}.00`
        const write = (spelling: string) =>
          [first, third].map((row) => row.replace(',012,', `,${spelling},`).replace(/\d+\.00/, amount))
        expect(await importRows(...write(own)), own).toMatchObject({ added: 2, known: 0 })
        expect(await importRows(...write(other)), `${own}, then ${other}`).toMatchObject({ added: 0, known: 2 })
      }
    }
    expect(new Set((await list()).open.map((transfer) => transfer.account))).toEqual(new Set([account]))
    const another = [first, third].map((row) => row.replace(',012,', ',99999999,').replace(/\d+\.00/, '10.00'))
    expect(await importRows(...another)).toMatchObject({ added: 2, known: 0 })
  })

  test('know an entry that was imported before the account was in the settings', async () => {
    const write = (spelling: string) => [first, third].map((row) => row.replace(',012,', `,${spelling},`))
    setBankAccounts([])
    expect(await importRows(...write('60-16-13 31926819'))).toMatchObject({ added: 2, known: 0 })
    setBankAccounts(['GB29 NWBK 6016 1331 9268 19'])
    expect(await importRows(...write('601613 31926819'))).toMatchObject({ added: 0, known: 2 })
  })

  test('know a transfer without an account as one entry only, in any order', async () => {
    await recordTransfer({ day: '2026-03-01', amount: '100.00', bank_reference: 'FT1' })
    const other = first.replace(',012,', ',013,')
    expect(await importRows(first, other)).toMatchObject({ added: 1, known: 1 })
    expect((await list()).open.map(({ account }) => account)).toEqual(['', '013'])
    expect(await importRows(other, first)).toMatchObject({ added: 0, known: 2 })
    expect(await importRows(other, first, first)).toMatchObject({ added: 1, known: 2 })
    expect(await importRows(first, other, first)).toMatchObject({ added: 0, known: 3 })
    setBankAccounts([])
    const [nameless, repeated] = [second.replace(',012,', ',,'), second]
    expect(await importRows(nameless, nameless)).toMatchObject({ added: 2, known: 0 })
    expect(await importRows(repeated, repeated, repeated)).toMatchObject({ added: 1, known: 2 })
    expect(await countTransfers()).toBe(6)
  })

  test('know a transfer that was credited, closed, or corrected', async () => {
    await importRows(first, second, third)
    const [one, two, three] = (await list()).open
    if (!one || !two || !three) throw new Error('the statement was not imported')
    const credited = (await credit(one)).json() as typeof one
    await credit(two)
    await post(three, 'close', { state: 'dismissed', note: 'Interest' })
    expect((await post(credited, 'correct', { note: 'Wrong company' })).statusCode).toBe(200)
    expect(await importRows(first, second, third)).toEqual({ added: 0, known: 3, skipped: 0 })
    expect((await list()).open).toMatchObject([{ bank_reference: 'FT1' }])
  })

  test('add nothing if one line cannot be read, and say which', async () => {
    const response = await importFile(build(first, second.replace('200.00', 'two hundred')))
    expect([response.statusCode, response.json()]).toMatchObject([
      400,
      {
        errorCode: 'VALIDATION_ERROR',
        data: [
          {
            field: 'content',
            code: 'BAD_STATEMENT',
            named: 'BAD_AMOUNT 3 Amount',
            message:
              "The statement can't be imported. Line 3 has no valid amount with at most two decimals in the column “Amount”.",
          },
        ],
      },
    ])
    expect(await countTransfers()).toBe(0)
  })

  test('may have 2 million characters, also in Chinese', async () => {
    const row = (index: number) => `2026-03-01,012,${index}.00,HKD,${'公司'.repeat(99)},${'附言'.repeat(60)},FT${index}`
    const rows = Array.from({ length: 5000 }, (_, index) => row(index + 1))
    const content = build(...rows)
    expect(content.length).toBeLessThan(maxStatementSize)
    expect(Buffer.byteLength(content)).toBeGreaterThan(4_000_000)
    expect((await importFile(content)).json()).toEqual({ added: 5000, known: 0, skipped: 0 })
    const longer = await importFile('x'.repeat(maxStatementSize + 1))
    expect(longer.json()).toMatchObject({ data: [{ field: 'content', code: 'TOO_LONG' }] })
  })

  test('are for the staff with the order right only, and are not even read for others', async () => {
    const refused = await actors.buyer.send({
      method: 'POST',
      url: '/api/bank-transfers/import',
      payload: { name: 'x', content: 'no statement' },
    })
    expect([refused.statusCode, await countTransfers()]).toEqual([403, 0])
  })
})
