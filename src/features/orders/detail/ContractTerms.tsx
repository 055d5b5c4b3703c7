import type { ReactNode } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { joined } from '#domain/catalogue/modules.ts'
import { sumDues } from '#domain/dues.ts'
import { type Currency, grouped } from '#domain/money.ts'
import { lastDay } from '#domain/period.ts'
import type { PlainDate } from '#domain/time.ts'
import { amountText } from '#ui/display/Amount.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { SoldPrice } from '#features/orders/quote/SoldPrice.tsx'
import { TermBar } from '#features/orders/detail/TermBar.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import type { ModuleInfo, PriceData } from '#features/orders/quote/local-quote.ts'
import { langOf } from '#ui/i18n/name-language.ts'

interface Props {
  row: OrderRow
  /** Null: there is none, or it is not here. */
  contract: ContractRow | null
  /** The contract and those that it replaced, newest first; null: not here yet. */
  history: readonly ContractRow[] | null
  /** Null: not all of it is here. */
  market: PriceData | null
  modules: readonly ModuleInfo[]
  /** In the business time zone; null: not known yet. */
  today: PlainDate | null
  editing: boolean
}

/** What was agreed (M98); while it is edited, what stays as it is. */
export function Terms({ row, contract, history, market, modules, today, editing }: Props) {
  const { t } = useTranslation('contract')
  const { t: wizard } = useTranslation('wizard')
  return (
    <div className="order-sides">
      <section className="card" aria-labelledby="order-facts">
        <h2 id="order-facts">{t('facts')}</h2>
        <Term {...{ row, contract, today }} />
        <Money {...{ row, contract, history }} />
        <Ordered row={row} />
      </section>
      {!editing && (
        <section className="card" aria-labelledby="order-users">
          <h2 id="order-users">{t('usersAndModules')}</h2>
          <Facts>
            <Fact label={t('field.mode')}>{wizard(`mode.${row.user_mode}`)}</Fact>
            <Fact label={t('field.users')}>{number(row.users)}</Fact>
            <Fact label={t('field.uat')}>{t(row.uat === 1 ? 'uat.yes' : 'uat.no')}</Fact>
          </Facts>
          <Prices {...{ row, contract, history, market, modules }} />
        </section>
      )}
    </div>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="order-group">
      <h3>{title}</h3>
      {children}
    </div>
  )
}

/** The expiry is the last day, as it comes; nothing is taken from it here (D18). */
function Term({ row, contract, today }: Pick<Props, 'row' | 'contract' | 'today'>) {
  const { t } = useTranslation('contract')
  const isChange = row.type === 'change'
  const changed = isChange && (row.contract_id === 0 ? row.period_start : contract?.segments[0]?.start)
  return (
    <Group title={t('group.term')}>
      {row.contract_id > 0 && row.state !== 'overwritten' && (
        <TermBar start={row.period_start} end={row.period_end} today={today} />
      )}
      <Facts>
        {/* Of a change that is not paid, the first day is the change's own. */}
        {!(isChange && row.contract_id === 0) && <Fact label={t('field.start')}>{row.period_start}</Fact>}
        {changed && <Fact label={t('field.changed')}>{changed}</Fact>}
        <Fact label={t('field.expires')}>{row.expired_date}</Fact>
        <Fact label={t('field.period')}>{t('years', { count: row.period })}</Fact>
      </Facts>
    </Group>
  )
}

/** The currency is said once. */
function Money({ row, contract, history }: Pick<Props, 'row' | 'contract' | 'history'>) {
  const { t } = useTranslation('contract')
  const fees = contract ? annualFees(contract) : []
  return (
    <Group title={t('group.money')}>
      <Facts>
        <Fact label={t('field.currency')}>{row.currency}</Fact>
        {fees.length > 0 && (
          <Fact label={t('field.annual')}>
            {fees.map(({ annual, end }) => (
              <div key={end}>
                {grouped(annual)}
                {fees.length > 1 && <span className="beside">{t('sold.until', { date: lastDay(end) })}</span>}
              </div>
            ))}
          </Fact>
        )}
        <Fact label={t('field.payAmount')}>{row.pay_amount === null ? '–' : grouped(row.pay_amount)}</Fact>
        {contract && history && history.length > 1 && (
          <Fact label={t('sold.paidTotal')}>
            {sumPaid(history).map(({ currency, amount }) => (
              <div key={currency}>{currency === row.currency ? grouped(amount) : amountText(currency, amount)}</div>
            ))}
          </Fact>
        )}
        {row.waived && <Fact label={t('field.waived')}>{t('waived', { amount: grouped(row.waived) })}</Fact>}
      </Facts>
    </Group>
  )
}

/** Of the paid stretches, each fee once with the end of its time (exclusive). */
const annualFees = ({ segments }: ContractRow) =>
  segments.filter(({ annual }, at) => annual !== segments[at + 1]?.annual)

/** What all the sales of a contract were paid with. */
const sumPaid = (history: readonly ContractRow[]) =>
  sumDues(history.map(({ currency, pay_amount: amount }) => ({ currency, amount: amount ?? '0.00' })))

function Ordered({ row }: Pick<Props, 'row'>) {
  const { t } = useTranslation('contract')
  const { t: orders } = useTranslation('orders')
  return (
    <Group title={t('group.order')}>
      <Facts>
        <Fact label={t('field.code')}>
          <CopyText text={row.code} />
        </Fact>
        <Fact label={t('field.name')}>
          <span lang={langOf(row.name)}>{row.name}</span>
        </Fact>
        {row.desc && <Fact label={t('field.desc')}>{row.desc}</Fact>}
        <Fact label={t('field.contract')}>{row.contract ? <CopyText text={row.contract} /> : t('noContract')}</Fact>
        <Fact label={t('field.type')}>{orders(`type.${row.type}`)}</Fact>
        <Fact label={t('field.created')}>{row.create_time || '–'}</Fact>
        {row.alert_date && <Fact label={t('field.alert')}>{row.alert_date}</Fact>}
      </Facts>
    </Group>
  )
}

/** What was sold at its own prices; what is not sold yet at those of the list that it was ordered by. */
function Prices({ row, contract, history, market, modules }: Omit<Props, 'today' | 'editing'>) {
  const { t } = useTranslation('contract')
  const names = new Map(modules.map(({ code, name }) => [code, name]))
  const joining = joined(
    modules.filter(({ hidden }) => hidden),
    row.modules,
  )
  if (contract && history && contract.steps) return <SoldPrice {...{ contract, history, names, joining }} />
  const own = row.currency.toLowerCase() as Lowercase<Currency>
  const list = market?.list.id === row.price_id && row.contract_id === 0 ? market.list : null
  const prices = new Map(list?.module.map((module) => [module.code, module[own]]))
  return (
    <div className="order-group">
      <h3>{t('modules', { count: row.modules.length })}</h3>
      {list && <p className="field-help">{t('modulePrices', { currency: row.currency, date: list.effective_date })}</p>}
      <ul className="order-modules">
        {row.modules.map((code) => (
          <li key={code}>
            <span>
              <span lang={langOf(names.get(code) ?? code)}>{names.get(code) ?? code}</span> <code>{code}</code>
            </span>
            {list && <span className="figure">{grouped(prices.get(code) ?? '–')}</span>}
          </li>
        ))}
        {joining.map(({ code, name }) => (
          <li key={code} className="joining">
            <span lang={langOf(name)}>{name}</span>
            <span>{t('joins')}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
