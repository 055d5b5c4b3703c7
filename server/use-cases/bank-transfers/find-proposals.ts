/**
 * Finds what an open transfer is for: by the number of a pro-forma, the code of a service, exactly the amount, or the sender's name (decision
 * 124). The index is built once for all transfers, so that each transfer needs only look-ups.
 */
import { readAmount } from '#domain/money.ts'
import { normaliseText } from '#domain/text.ts'
import type { PayableItem, TransferProposal } from '#contract/staff/bank-transfers.ts'
import type { TransferRecord } from '#server/db/payments/bank-transfers.ts'
import type {
  CompanyCredit,
  CustomerName,
  NumberedProforma,
  NumberedService,
} from '#server/db/payments/unpaid-items.ts'

export interface OpenItem extends PayableItem {
  company_id: number
}

export interface ProposalFacts {
  items: readonly OpenItem[]
  credit: readonly CompanyCredit[]
  customers: readonly CustomerName[]
  proformas: readonly NumberedProforma[]
  services: readonly NumberedService[]
}

type TransferText = Pick<TransferRecord, 'currency' | 'amount' | 'sender' | 'reference'>
type Match = TransferProposal['match']
interface Candidate {
  match: Match
  companyId: number
  proformaCode: string | null
  items: OpenItem[]
  /** Found only by a word that is the code of a service. Such a word may be an ordinary one, such as "invoice". */
  isWord?: boolean
}

const maxProposals = 5
const matchOrder: readonly Match[] = ['proforma', 'reference', 'amount', 'sender']
/** If the sender is a customer, what is the sender's comes before words and amounts of others. */
const otherRanks = { word: matchOrder.length, amount: matchOrder.length + 1 } as const

/** The lower, the surer. */
function rank({ match, companyId, isWord }: Candidate, senders: ReadonlySet<number>): number {
  const isOther = senders.size > 0 && !senders.has(companyId)
  if (isOther && isWord) return otherRanks.word
  return isOther && match === 'amount' ? otherRanks.amount : matchOrder.indexOf(match)
}

/** Letters and digits only, because banks break a reference into lines, and people add spaces and signs. */
const squeeze = (text: string) =>
  text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Returns the numbers in a reference that may be those of pro-formas. Numbers may touch other letters. */
export const findProformaCodes = (reference: string): string[] => squeeze(reference).match(/PF\d{12}/g) ?? []

/** Returns the numbers in a reference that may be those of contracts or invoices. */
export const findDocumentCodes = (reference: string): string[] => squeeze(reference).match(/[CI]\d{12}/g) ?? []

const listWords = (reference: string) => new Set(normaliseText(reference).split(/[^\p{L}\p{N}]+/u))

/** Forms of companies are left out, because senders often do. */
const companyForms =
  /(limited|ltd|company|co|incorporated|inc|corporation|corp|llc|有限责任公司|股份有限公司|有限公司|公司)$/

/** Returns a key that is equal for usual forms of a name. */
export function toNameKey(name: string): string {
  const plainName = normaliseText(name).replaceAll(/[^\p{L}\p{N}]/gu, '')
  for (let key = plainName; ; ) {
    const shorter = key.replace(companyForms, '')
    if (shorter === key || shorter === '') return key
    key = shorter
  }
}

const groupBy = <T>(rows: readonly T[], getKey: (row: T) => string) => Map.groupBy(rows, getKey)
const toItemKey = ({ kind, id }: { kind: string; id: number }) => `${kind} ${id}`
const kindsByType = { CONTRACT: 'order', PDBORDER: 'backup', TRAFFIC: 'traffic' } as const
const sumItems = (items: readonly OpenItem[]) => items.reduce((sum, { amount }) => sum + readAmount(amount), 0n)

export class ProposalIndex {
  readonly #itemsByKey: Map<string, OpenItem>
  readonly #itemsByDebtor: Map<string, OpenItem[]>
  readonly #itemsByService: Map<string, OpenItem[]>
  readonly #itemsByCode: Map<string, OpenItem[]>
  readonly #setsByAmount = new Map<string, OpenItem[][]>()
  readonly #creditByDebtor: Map<string, bigint>
  readonly #customersById: Map<number, CustomerName>
  readonly #customersByName: Map<string, CustomerName[]>
  readonly #proformasByCode: Map<string, NumberedProforma>
  readonly #servicesByNumber: Map<string, NumberedService>

  constructor({ items, credit, customers, proformas, services }: ProposalFacts) {
    this.#itemsByKey = new Map(
      items.map((item) => [toItemKey({ kind: kindsByType[item.contractType], id: item.id }), item]),
    )
    this.#itemsByDebtor = groupBy(items, ({ company_id, currency }) => `${company_id} ${currency}`)
    this.#itemsByService = groupBy(items, (item) => `${item.company_id} ${item.currency} ${item.service_code}`)
    this.#itemsByCode = groupBy(items, ({ currency, service_code }) => `${currency} ${service_code}`)
    this.#creditByDebtor = new Map(
      credit.map(({ company_id, currency, available }) => [`${company_id} ${currency}`, readAmount(available)]),
    )
    this.#customersById = new Map(customers.map((customer) => [customer.id, customer]))
    this.#customersByName = groupBy(customers, ({ name }) => toNameKey(name))
    this.#proformasByCode = new Map(proformas.map((proforma) => [proforma.code, proforma]))
    this.#servicesByNumber = new Map(services.map((service) => [service.code, service]))
    for (const [debtor, owed] of this.#itemsByDebtor) this.#addAmounts(debtor, owed)
  }

  /** Each item alone, and all that the company owes in the currency, with and without its credit. */
  #addAmounts(debtor: string, owed: OpenItem[]): void {
    const credit = this.#getCredit(debtor)
    const sets = [...owed.map((item) => [item]), ...(owed.length > 1 ? [owed] : [])]
    for (const set of sets)
      for (const amount of new Set([sumItems(set), sumItems(set) - credit])) {
        const key = `${set[0]?.currency} ${amount}`
        const knownSets = this.#setsByAmount.get(key)
        if (knownSets) knownSets.push(set)
        else this.#setsByAmount.set(key, [set])
      }
  }

  #getCredit(debtor: string): bigint {
    return this.#creditByDebtor.get(debtor) ?? 0n
  }

  /** Best first, at most five. */
  propose(transfer: TransferText): TransferProposal[] {
    const senders = new Set(this.#findSenders(transfer))
    const candidates = [
      ...this.#findByProforma(transfer),
      ...this.#findByReference(transfer),
      ...this.#findByAmount(transfer, senders),
      ...this.#findBySender(transfer, senders),
    ]
    const isOfSender = ({ companyId }: Candidate) => senders.has(companyId)
    const sorted = candidates.toSorted(
      (a, b) =>
        rank(a, senders) - rank(b, senders) ||
        Number(isOfSender(b)) - Number(isOfSender(a)) ||
        Number(b.items.length > 0) - Number(a.items.length > 0),
    )
    return removeRepeated(sorted)
      .slice(0, maxProposals)
      .flatMap((candidate) => this.#toProposal(candidate) ?? [])
  }

  #findSenders({ sender }: TransferText): number[] {
    const key = toNameKey(sender)
    return key === '' ? [] : (this.#customersByName.get(key) ?? []).map(({ id }) => id)
  }

  #findByProforma(transfer: TransferText): Candidate[] {
    return findProformaCodes(transfer.reference).flatMap((code) => {
      const proforma = this.#proformasByCode.get(code)
      if (!proforma) return []
      const unpaid = proforma.items.flatMap((item) => this.#itemsByKey.get(toItemKey(item)) ?? [])
      const items = unpaid.filter(({ currency }) => currency === transfer.currency)
      const companyId = proforma.company_id
      return [{ match: 'proforma', companyId, proformaCode: code, items: this.#choosePaid(items, transfer, companyId) }]
    })
  }

  #findByReference(transfer: TransferText): Candidate[] {
    const { currency, reference } = transfer
    const byWord = [...listWords(reference)].flatMap((word) => [
      ...groupBy(this.#itemsByCode.get(`${currency} ${word}`) ?? [], ({ company_id }) => String(company_id)).values(),
    ])
    const byNumber = findDocumentCodes(reference).flatMap((code) => {
      const service = this.#servicesByNumber.get(code)
      if (!service) return []
      const key = `${service.company_id} ${currency} ${service.service_code}`
      return [{ companyId: service.company_id, items: this.#itemsByService.get(key) ?? [], isWord: false }]
    })
    const namedServices = byWord.flatMap((items) =>
      items.slice(0, 1).map(({ company_id }) => ({ companyId: company_id, items, isWord: true })),
    )
    return [...namedServices, ...byNumber].map(({ companyId, items, isWord }) => ({
      match: 'reference',
      isWord,
      companyId,
      proformaCode: null,
      items: this.#choosePaid(items, transfer, companyId),
    }))
  }

  /** Many companies may owe the same amount. Those with the sender's name come first. */
  #findByAmount({ currency, amount }: TransferText, senders: ReadonlySet<number>): Candidate[] {
    const sets = this.#setsByAmount.get(`${currency} ${readAmount(amount)}`) ?? []
    const isOfSender = (set: OpenItem[]) => set[0] !== undefined && senders.has(set[0].company_id)
    const firstSets = [...sets.filter(isOfSender).slice(0, maxProposals), ...sets.slice(0, maxProposals)]
    return firstSets.flatMap((items) => {
      const companyId = items[0]?.company_id
      return companyId === undefined ? [] : [{ match: 'amount' as const, companyId, proformaCode: null, items }]
    })
  }

  #findBySender(transfer: TransferText, senders: ReadonlySet<number>): Candidate[] {
    return [...senders].slice(0, maxProposals).map((companyId) => {
      const owed = this.#itemsByDebtor.get(`${companyId} ${transfer.currency}`) ?? []
      return {
        match: 'sender',
        companyId,
        proformaCode: null,
        items: this.#choosePaid(owed, transfer, companyId),
      }
    })
  }

  /**
   * Returns those of the items that the transfer and the company's credit pay: one that is exactly paid, otherwise all, otherwise as many as
   * possible in the order of their due times.
   */
  #choosePaid(items: readonly OpenItem[], { amount, currency }: TransferText, companyId: number): OpenItem[] {
    const received = readAmount(amount)
    const available = received + this.#getCredit(`${companyId} ${currency}`)
    const sum = sumItems(items)
    const exact = items.find((item) => readAmount(item.amount) === received)
    if (exact && sum !== received && sum !== available) return [exact]
    if (sum <= available) return [...items]
    const itemsToPay: OpenItem[] = []
    for (const item of items.toSorted(compareDue))
      if (sumItems(itemsToPay) + readAmount(item.amount) <= available) itemsToPay.push(item)
    return itemsToPay
  }

  #toProposal({ match, companyId, proformaCode, items }: Candidate): TransferProposal | null {
    const customer = this.#customersById.get(companyId)
    if (!customer) return null
    return {
      match,
      company_id: companyId,
      company_code: customer.code,
      company_name: customer.name,
      proforma_code: proformaCode,
      items: items.map(({ company_id: _company, ...item }) => item),
    }
  }
}

/** Items without a due time come last. */
const compareDue = (a: OpenItem, b: OpenItem) => {
  const [dueA, dueB] = [a.due ?? '9', b.due ?? '9']
  return dueA < dueB ? -1 : dueA > dueB ? 1 : a.id - b.id
}

/** Keeps the first of equal proposals, and drops a proposal of credit alone if the company has one with items. */
function removeRepeated(candidates: readonly Candidate[]): Candidate[] {
  const seen = new Set<string>()
  const withItems = new Set(candidates.flatMap(({ companyId, items }) => (items.length > 0 ? [companyId] : [])))
  return candidates.filter(({ companyId, items, match }) => {
    const key = `${companyId} ${items
      .map(({ contractType, id }) => `${contractType}${id}`)
      .toSorted()
      .join()}`
    const isWeaker = items.length === 0 && withItems.has(companyId) && match !== 'proforma'
    if (seen.has(key) || isWeaker) return false
    seen.add(key)
    return true
  })
}
