import type { ReactNode } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { joined } from '#domain/catalogue/modules.ts'
import { type Currency, grouped } from '#domain/money.ts'
import type { PlainDate } from '#domain/time.ts'
import { CopyText } from '#ui/display/CopyText.tsx'
import { Fact, Facts } from '#ui/display/DescriptionList.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { TermBar } from '#features/orders/detail/TermBar.tsx'
import type { ContractRow } from '#features/orders/detail/useContract.ts'
import type { ModuleInfo, PriceData } from '#features/orders/quote/local-quote.ts'
import { langOf } from '#ui/i18n/name-language.ts'

interface Props {
  row: OrderRow
  /** Null: there is none, or it is not here. */
  contract: ContractRow | null
  /** Null: not all of it is here. */
  market: PriceData | null
  modules: readonly ModuleInfo[]
  /** In the business time zone; null: not known yet. */
  today: PlainDate | null
  editing: boolean
}

/** What was agreed (M98); while it is edited, what stays as it is. */
export function Terms({ row, contract, market, modules, today, editing }: Props) {
  const { t } = useTranslation('contract')
  const { t: wizard } = useTranslation('wizard')
  return (
    <div className="order-sides">
      <section className="card" aria-labelledby="order-facts">
        <h2 id="order-facts">{t('facts')}</h2>
        <Term {...{ row, contract, today }} />
        <Money {...{ row, contract, today }} />
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
          <Modules codes={row.modules} currency={row.currency} {...{ modules, market }} />
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
function Money({ row, contract, today }: Pick<Props, 'row' | 'contract' | 'today'>) {
  const { t } = useTranslation('contract')
  const annual = contract && annualOf(contract, today)
  return (
    <Group title={t('group.money')}>
      <Facts>
        <Fact label={t('field.currency')}>{row.currency}</Fact>
        {annual && <Fact label={t('field.annual')}>{grouped(annual)}</Fact>}
        <Fact label={t('field.payAmount')}>{row.pay_amount === null ? '–' : grouped(row.pay_amount)}</Fact>
        {row.waived && <Fact label={t('field.waived')}>{t('waived', { amount: grouped(row.waived) })}</Fact>}
      </Facts>
    </Group>
  )
}

/** Of the stretch that runs today, else of the one that is next or was last. */
const annualOf = ({ segments }: ContractRow, today: PlainDate | null) =>
  (segments.find(({ end }) => today !== null && today < end) ?? segments.at(-1))?.annual

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

interface ModulesProps {
  codes: readonly string[]
  currency: Currency
  modules: readonly ModuleInfo[]
  market: PriceData | null
}

/** With what each costs a year now, and with those that come along by themselves and cost nothing (D5). */
function Modules({ codes, currency, modules, market }: ModulesProps) {
  const { t } = useTranslation('contract')
  const own = currency.toLowerCase() as Lowercase<Currency>
  const names = new Map(modules.map(({ code, name }) => [code, name]))
  const prices = new Map(market?.list.module.map((row) => [row.code, row[own]]))
  const joining = joined(
    modules.filter(({ hidden }) => hidden),
    codes,
  )
  return (
    <div className="order-group">
      <h3>{t('modules', { count: codes.length })}</h3>
      {market && <p className="field-help">{t('modulePrices', { currency, date: market.list.effective_date })}</p>}
      <ul className="order-modules">
        {codes.map((code) => (
          <li key={code}>
            <span>
              <span lang={langOf(names.get(code) ?? code)}>{names.get(code) ?? code}</span> <code>{code}</code>
            </span>
            {market && <span className="figure">{grouped(prices.get(code) ?? '–')}</span>}
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
