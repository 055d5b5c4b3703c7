import { describe, expect, it } from 'vitest'
import { readCamt } from '#server/drivers/statements/read-camt.ts'
import { StatementError } from '#server/drivers/statements/statement.ts'

function readFault(content: string) {
  try {
    return readCamt(content)
  } catch (error) {
    if (error instanceof StatementError) return error.fault
    throw error
  }
}

const buildStatement = (account: string, ...entries: string[]) =>
  `<Stmt><Id>1</Id><Acct><Id>${account}</Id></Acct><Bal><Amt Ccy="HKD">9.00</Amt></Bal>${entries.join('\n')}</Stmt>`
const buildDocument = (version: string, ...statements: string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>
<GrpHdr><MsgId>1</MsgId></GrpHdr>${statements.join('\n')}
</BkToCstmrStmt></Document>`
const iban = '<IBAN>DE89370400440532013000</IBAN>'
interface EntryParts {
  amount?: string
  currency?: string
  direction?: string
  status?: string
  extra?: string
}
const buildEntry = ({
  amount = '1234.50',
  currency = 'HKD',
  direction = 'CRDT',
  status = '<Sts>BOOK</Sts>',
  extra = '',
}: EntryParts = {}) =>
  `<Ntry><NtryRef>1</NtryRef><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${status}
<BookgDt><Dt>2026-11-30</Dt></BookgDt><AcctSvcrRef>FT1</AcctSvcrRef>${extra}</Ntry>`
const wrap = (...entries: string[]) => buildDocument('02', buildStatement(iban, ...entries))
const details = (...transactions: string[]) =>
  `<NtryDtls>${transactions.map((transaction) => `<TxDtls>${transaction}</TxDtls>`).join('')}</NtryDtls>`
const remittance = '<RmtInf><Ustrd>PF202611</Ustrd><Ustrd>000001</Ustrd></RmtInf>'

describe('a camt.053 statement', () => {
  it.each([
    ['02', '<Sts>BOOK</Sts>', '<RltdPties><Dbtr><Nm>Acme &amp; Co</Nm></Dbtr></RltdPties>'],
    ['04', '<Sts>BOOK</Sts>', '<RltdPties><Dbtr><Nm>Acme &amp; Co</Nm></Dbtr></RltdPties>'],
    ['08', '<Sts><Cd>BOOK</Cd></Sts>', '<RltdPties><Dbtr><Pty><Nm>Acme &amp; Co</Nm></Pty></Dbtr></RltdPties>'],
    ['11', '<Sts><Cd>BOOK</Cd></Sts>', '<RltdPties><Dbtr><Pty><Nm><![CDATA[Acme & Co]]></Nm></Pty></Dbtr></RltdPties>'],
  ])('of version %s has entries with all their facts', (version, status, parties) => {
    const refs = '<Refs><EndToEndId>E2E-7</EndToEndId><AcctSvcrRef>FT1-1</AcctSvcrRef></Refs>'
    const entry = buildEntry({ status, extra: details(refs + parties + remittance) })
    expect(readCamt(buildDocument(version, buildStatement(iban, entry)))).toEqual({
      entries: [
        {
          account: 'DE89370400440532013000',
          day: '2026-11-30',
          currency: 'HKD',
          amount: '1234.50',
          sender: 'Acme & Co',
          reference: 'PF202611 000001 E2E-7',
          bankReference: 'FT1-1',
        },
      ],
      skipped: 0,
    })
  })

  it('may have prefixes, a byte order mark, and several statements and accounts', () => {
    const second = buildStatement('<Othr><Id>012-345</Id></Othr>', buildEntry({ amount: '7', currency: 'CNY' }))
    const plain = buildDocument('02', buildStatement(iban, buildEntry()), second)
    const prefixed = `\uFEFF${plain.replaceAll(/<(\/?)([A-Z])/g, '<$1c:$2').replace('xmlns=', 'xmlns:c=')}`
    for (const content of [plain, prefixed])
      expect(readCamt(content).entries).toMatchObject([
        { account: 'DE89370400440532013000', amount: '1234.50', currency: 'HKD', bankReference: 'FT1' },
        { account: '012-345', amount: '7.00', currency: 'RMB' },
      ])
  })

  it('skips what was paid, is not booked, is a reversal, or has another currency', () => {
    const entries = [
      buildEntry({ direction: 'DBIT' }),
      buildEntry({ status: '<Sts>PDNG</Sts>' }),
      buildEntry({ status: '<Sts><Cd>INFO</Cd></Sts>' }),
      buildEntry({ extra: '<RvslInd>true</RvslInd>' }),
      buildEntry({ currency: 'EUR' }),
      buildEntry({ amount: '0.00' }),
      buildEntry({ extra: '<RvslInd>false</RvslInd>' }),
    ]
    expect(readCamt(wrap(...entries))).toMatchObject({ entries: [{ amount: '1234.50' }], skipped: 6 })
  })

  it('splits a batch whose amounts add up, and keeps any other batch whole', () => {
    const build = (name: string, amount: string) =>
      `<Amt Ccy="HKD">${amount}</Amt><RltdPties><Dbtr><Nm>${name}</Nm></Dbtr></RltdPties>`
    const older = (name: string, amount: string) =>
      `<AmtDtls><TxAmt><Amt Ccy="HKD">${amount}</Amt></TxAmt></AmtDtls><RltdPties><Dbtr><Nm>${name}</Nm></Dbtr></RltdPties>`
    for (const form of [build, older])
      expect(readCamt(wrap(buildEntry({ extra: details(form('A', '1000.00'), form('B', '234.5')) })))).toMatchObject({
        entries: [
          { amount: '1000.00', sender: 'A', bankReference: 'FT1' },
          { amount: '234.50', sender: 'B' },
        ],
      })
    const whole = [
      details(build('A', '1000.00'), build('B', '234.00')),
      details(build('A', '1000.00'), '<RltdPties><Dbtr><Nm>B</Nm></Dbtr></RltdPties>'),
      details(build('A', '1000.00'), build('B', '234.50').replace('HKD', 'EUR')),
      details(build('A', '1234.50'), build('B', '0.00')),
    ]
    for (const extra of whole)
      expect(readCamt(wrap(buildEntry({ extra }))).entries).toMatchObject([{ amount: '1234.50', sender: 'A B' }])
  })

  it('uses structured references, and what the bank wrote if the sender wrote nothing', () => {
    const structured = '<RmtInf><Strd><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf></Strd></RmtInf>'
    const refs = '<Refs><EndToEndId>NOTPROVIDED</EndToEndId></Refs>'
    const extra = '<AddtlNtryInf>Transfer</AddtlNtryInf>'
    const entries = [details(refs + structured) + extra, details(refs) + extra, extra].map((part) =>
      buildEntry({ extra: part }),
    )
    expect(readCamt(wrap(...entries)).entries.map(({ reference }) => reference)).toEqual([
      'RF18',
      'Transfer',
      'Transfer',
    ])
  })

  it.each([
    ['no XML', '<Document><BkToCstmrStmt>', 'BAD_XML'],
    ['an element that is not closed', wrap('<Ntry>'), 'BAD_XML'],
    ['an element after its end', `${wrap()}<a/>`, 'OTHER_MESSAGE'],
    ['text after its end', `${wrap()}a`, 'BAD_XML'],
    ['a document type', `<!DOCTYPE a []>${wrap()}`, 'BAD_XML'],
    ['an unknown entity', wrap(buildEntry({ amount: '&a;' })), 'BAD_XML'],
    [
      'an external entity',
      `<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]>${wrap(buildEntry({ amount: '&a;' }))}`,
      'BAD_XML',
    ],
    ['another message', '<Document><BkToCstmrAcctRpt/></Document>', 'OTHER_MESSAGE'],
    ['a page', '<html><body></body></html>', 'OTHER_MESSAGE'],
    ['no amount', wrap(buildEntry({ amount: '' })), 'BAD_ENTRY'],
    ['too many decimals', wrap(buildEntry({ amount: '1.005' })), 'BAD_ENTRY'],
    ['a negative amount', wrap(buildEntry({ amount: '-1.00' })), 'BAD_ENTRY'],
    ['an amount that is too large', wrap(buildEntry({ amount: '10000000000000.00' })), 'BAD_ENTRY'],
    ['no currency', wrap(buildEntry({ currency: '' })), 'BAD_ENTRY'],
    ['no day', wrap(buildEntry().replace('2026-11-30', '2026-02-30')), 'BAD_ENTRY'],
    ['no direction', wrap(buildEntry({ direction: '' })), 'BAD_ENTRY'],
    ['no status', wrap(buildEntry({ status: '' })), 'BAD_ENTRY'],
    ['too many levels', `<Document><BkToCstmrStmt>${'<a>'.repeat(50)}`, 'TOO_DEEP'],
    [
      'too many entries',
      wrap(...Array.from({ length: 10_001 }, () => '<Ntry><Sts>PDNG</Sts><CdtDbtInd>CRDT</CdtDbtInd></Ntry>')),
      'TOO_MANY_ENTRIES',
    ],
  ])('with %s is refused', (_, content, code) => {
    expect(readFault(content)).toMatchObject({ code })
  })

  it('names the line of a wrong entry', () => {
    expect(readFault(wrap(buildEntry(), buildEntry({ amount: 'x' })))).toEqual({
      code: 'BAD_ENTRY',
      line: 6,
      column: 'Amt',
    })
  })
})
