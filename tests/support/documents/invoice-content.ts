/** Contents of invoices as they are stored. */
import type { FeeStep } from '#domain/fees/explain.ts'
import type { FrozenInvoice, InvoiceParty } from '#server/use-cases/documents/frozen-content.ts'

export const createParty = (fields: Partial<InvoiceParty> = {}): InvoiceParty => ({
  code: 'm18',
  name: '示例软件（上海）有限公司',
  addr1: '世纪大道 100 号',
  addr2: null,
  addr3: null,
  city: '上海市',
  province: null,
  country: 'CN',
  tel: '+86 21 1234 5678',
  email: 'billing@m18.example',
  website: null,
  tax_number: '91310000MA1FL0XX0X',
  ...fields,
})

const createStep = (code: FeeStep['code'], amount: string, values: Record<string, string> = {}): FeeStep => ({
  code,
  rule: 'D1',
  values,
  amount,
})

const orderSteps = [
  createStep('users', '60000.00', { from: '1', to: '50', users: '50', price: '1200.00' }),
  createStep('module', '20000.00', { code: 'fin' }),
  createStep('annual', '80000.00'),
  createStep('years', '80000.00', { annual: '80000.00', years: '1', from: '2026-12-01', to: '2027-12-01' }),
  createStep('due', '80000.00', { contract: '80000.00', residual: '0.00' }),
]

/** Returns `count` lines of different texts. */
export const createUserSteps = (count: number): FeeStep[] =>
  Array.from({ length: count }, (_, index) =>
    createStep('users', '6000.00', { from: String(index + 1), to: String(index + 5), users: '5', price: '1200.00' }),
  )

export const createInvoiceContent = (fields: Partial<FrozenInvoice> = {}): FrozenInvoice => ({
  invoice_no: 'I202611000001',
  issued: '2026-11-30 12:00:00',
  seller: createParty(),
  buyer: createParty({ code: 'acme', name: '北京市鑫淼堃科技有限公司', email: 'ap@acme.example' }),
  service: { code: 'acme-01', name: '总部 ERP' },
  contract: 'C202611000001',
  order: {
    type: 'create',
    users: 50,
    user_mode: 'CONCURRENT',
    modules: ['fin'],
    module_names: { fin: '财务管理' },
    uat: 0,
    period_start: '2026-12-01',
    period_end: '2027-12-01',
  },
  lines: orderSteps,
  currency: 'RMB',
  amount: '80000.00',
  pay_amount: '80000.00',
  po_number: 'PO-2026-0042',
  payment: { gateway: 'alipay', reference: '2026113022001400001234567890', paid: '2026-11-30 11:59:58' },
  ...fields,
})
