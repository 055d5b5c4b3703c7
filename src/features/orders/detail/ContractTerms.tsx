import type { ReactNode } from 'react'
import type { OrderRow } from '#contract/orders.ts'
import { sumDues } from '#domain/dues.ts'
import { type Currency, groupThousands } from '#domain/money.ts'
import { getLastDay } from '#domain/plain-dates.ts'
import type { PlainDate } from '#domain/time.ts'
import { Amount, formatAmount } from '#ui/display/Amount.tsx'
import { CopyText } from '#ui/display/CopyText.tsx'
import { DescriptionItem, DescriptionList } from '#ui/display/DescriptionList.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import { buildOrderBreakdown } from '#features/orders/quote/order-breakdown.ts'
import { SoldPrice } from '#features/orders/quote/SoldPrice.tsx'
import type { PricedSale } from '#features/orders/quote/sold-rows.ts'
import { TermBar } from '#features/orders/detail/TermBar.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { isCurrentContract } from '#features/orders/detail/current-contract.ts'
import { findJoiningModules, type ModuleChoice, type PriceData } from '#features/orders/quote/local-quote.ts'
import { JoiningModuleRows } from '#features/orders/quote/JoiningModuleRows.tsx'
import { getModuleNames } from '#features/orders/module-names.ts'
import { joinList } from '#ui/i18n/messages.ts'
import { getNameLang } from '#ui/i18n/name-language.ts'

interface Props {
  row: OrderRow
  /** Null if there is no contract or it is not loaded. */
  contract: ContractRow | null
  /** The contract and those that it replaced, newest first. Null if they are not loaded yet. */
  history: readonly ContractRow[] | null
  priceData: PriceData | null
  modules: readonly ModuleChoice[]
  /** Today in the business time zone. Null if it is not known yet. */
  today: PlainDate | null
  isEditing: boolean
}

/** Maximum number of modules whose names are listed. The price lists all of them. */
const maxNames = 12
/** Maximum number of characters of modules that fit beside the number of users. Longer lists have a line of their own. */
const maxModulesBeside = 24

/** Returns whether the prices of the sale are known. Otherwise the modules have a list of their own. */
const hasSoldPrice = (contract: ContractRow | null, history: readonly ContractRow[] | null): boolean =>
  Boolean(contract?.steps && history)

/** Shows the agreed terms (M98). While the contract is being edited, shows only the terms that cannot change. */
export function ContractTerms({ row, contract, history, priceData, modules, today, isEditing }: Props) {
  const { t } = useTranslation('contract')
  const { t: tWizard } = useTranslation('wizard')
  const namesByCode = getModuleNames(modules)
  const isSold = hasSoldPrice(contract, history)
  const formatModules = () =>
    row.modules.length > maxNames
      ? t('modules', { count: row.modules.length })
      : joinList(row.modules.map((code) => namesByCode.get(code) ?? code))
  return (
    <>
      <section className="card order-terms" aria-labelledby="order-facts">
        <h2 id="order-facts" className="sr-only">
          {t('facts')}
        </h2>
        <TermFacts {...{ row, contract, today }} />
        <MoneyFacts {...{ row, contract, history }} />
        <OrderFacts row={row} />
      </section>
      {!isEditing && (
        <section className="card order-users" aria-labelledby="order-users">
          <h2 id="order-users">{t('usersAndModules')}</h2>
          <DescriptionList>
            <DescriptionItem label={t('field.mode')}>{tWizard(`mode.${row.user_mode}`)}</DescriptionItem>
            <DescriptionItem label={t('field.users')}>{formatNumber(row.users)}</DescriptionItem>
            <DescriptionItem label={t('field.uat')}>{t(row.uat === 1 ? 'uat.yes' : 'uat.no')}</DescriptionItem>
            {isSold && (
              <DescriptionItem label={t('field.modules')}>
                <span className={formatModules().length > maxModulesBeside ? undefined : 'modules-beside'}>
                  {formatModules()}
                </span>
              </DescriptionItem>
            )}
          </DescriptionList>
          <ModulePrices {...{ row, contract, history, priceData, modules }} />
        </section>
      )}
    </>
  )
}

function FactGroup({ title, isWide = false, children }: { title: string; isWide?: boolean; children: ReactNode }) {
  return (
    <div className={`order-group${isWide ? ' wide' : ''}`}>
      <h3>{title}</h3>
      {children}
    </div>
  )
}

/** `expired_date` is already the last day and is displayed unchanged (D18). */
function TermFacts({ row, contract, today }: Pick<Props, 'row' | 'contract' | 'today'>) {
  const { t } = useTranslation('contract')
  const isChange = row.type === 'change'
  const changedFrom = isChange && (row.contract_id === 0 ? row.period_start : contract?.segments[0]?.start)
  return (
    <FactGroup title={t('group.term')}>
      {isCurrentContract(row) && <TermBar start={row.period_start} end={row.period_end} today={today} />}
      <DescriptionList>
        {/* For an unpaid change, `period_start` is the first day of the change, not of the contract. */}
        {!(isChange && row.contract_id === 0) && (
          <DescriptionItem label={t('field.start')}>{row.period_start}</DescriptionItem>
        )}
        {changedFrom && <DescriptionItem label={t('field.changed')}>{changedFrom}</DescriptionItem>}
        <DescriptionItem label={t('field.expires')}>{row.expired_date}</DescriptionItem>
        <DescriptionItem label={t('field.period')}>{t('years', { count: row.period })}</DescriptionItem>
      </DescriptionList>
    </FactGroup>
  )
}

/** Each amount has its currency. The currency has its own row only if there is no amount. */
function MoneyFacts({ row, contract, history }: Pick<Props, 'row' | 'contract' | 'history'>) {
  const { t } = useTranslation('contract')
  const fees = contract ? getAnnualFees(contract) : []
  return (
    <FactGroup title={t('group.money')}>
      <DescriptionList>
        {fees.length === 0 && row.pay_amount === null && (
          <DescriptionItem label={t('field.currency')}>{row.currency}</DescriptionItem>
        )}
        {fees.length > 0 && (
          <DescriptionItem label={t('field.annual')}>
            {fees.map(({ annual, end }) => (
              <div key={end}>
                <Amount currency={row.currency} amount={annual} />
                {fees.length > 1 && <span className="beside">{t('sold.until', { date: getLastDay(end) })}</span>}
              </div>
            ))}
          </DescriptionItem>
        )}
        <DescriptionItem label={t('field.payAmount')}>
          {row.pay_amount === null ? '–' : <Amount currency={row.currency} amount={row.pay_amount} />}
        </DescriptionItem>
        {contract && history && history.length > 1 && (
          <DescriptionItem label={t('sold.paidTotal')}>
            {sumPaid(history).map(({ currency, amount }) => (
              <div key={currency}>
                <Amount currency={currency} amount={amount} />
              </div>
            ))}
          </DescriptionItem>
        )}
        {row.waived && (
          <DescriptionItem label={t('field.waived')}>
            {t('waived', { amount: formatAmount(row.currency, row.waived) })}
          </DescriptionItem>
        )}
      </DescriptionList>
    </FactGroup>
  )
}

/** Returns the segments with consecutive equal annual fees merged; `end` is exclusive. */
const getAnnualFees = ({ segments }: ContractRow) =>
  segments.filter(({ annual }, index) => annual !== segments[index + 1]?.annual)

/** Returns the sums per currency of all payments for a contract and those that it replaced. */
const sumPaid = (history: readonly ContractRow[]) =>
  sumDues(history.map(({ currency, pay_amount: amount }) => ({ currency, amount: amount ?? '0.00' })))

function OrderFacts({ row }: Pick<Props, 'row'>) {
  const { t } = useTranslation('contract')
  const { t: orders } = useTranslation('orders')
  return (
    <FactGroup title={t('group.order')} isWide>
      <DescriptionList>
        <DescriptionItem label={t('field.code')}>
          <CopyText text={row.code} />
        </DescriptionItem>
        <DescriptionItem label={t('field.name')}>
          <span lang={getNameLang(row.name)}>{row.name}</span>
        </DescriptionItem>
        {row.desc && <DescriptionItem label={t('field.desc')}>{row.desc}</DescriptionItem>}
        <DescriptionItem label={t('field.contract')}>
          {row.contract ? <CopyText text={row.contract} /> : t('noContract')}
        </DescriptionItem>
        <DescriptionItem label={t('field.type')}>{orders(`type.${row.type}`)}</DescriptionItem>
        <DescriptionItem label={t('field.created')}>{row.create_time || '–'}</DescriptionItem>
        {row.alert_date && <DescriptionItem label={t('field.alert')}>{row.alert_date}</DescriptionItem>}
      </DescriptionList>
    </FactGroup>
  )
}

/**
 * Returns the price of an order that has no contract yet. Returns null for a change, whose price depends on what is paid, and if the price
 * list is no longer the one that it was ordered from.
 */
function createUnpaidSale(row: OrderRow, priceData: PriceData): PricedSale | null {
  const { steps } = row.type === 'change' ? { steps: null } : buildOrderBreakdown(row, null, priceData)
  const { effective_date: price_date } = priceData.list
  return steps && { id: 0, code: row.code, restores: null, steps, currency: row.currency, price_date, pay_amount: null }
}

/** Shows the price: for a contract that of its sale, for an unpaid order that of the list that it was ordered from. */
function ModulePrices({ row, contract, history, priceData, modules }: Omit<Props, 'today' | 'isEditing'>) {
  const { t } = useTranslation('contract')
  const namesByCode = getModuleNames(modules)
  const joiningModules = findJoiningModules(modules, row.modules)
  const unpaidSale = priceData && row.contract_id === 0 ? createUnpaidSale(row, priceData) : null
  if (unpaidSale) return <SoldPrice contract={unpaidSale} history={[]} {...{ namesByCode, joiningModules }} />
  if (contract && history && contract.steps)
    return <SoldPrice {...{ contract, history, namesByCode, joiningModules }} />
  const currencyKey = row.currency.toLowerCase() as Lowercase<Currency>
  const list = priceData?.list.id === row.price_id && row.contract_id === 0 ? priceData.list : null
  const pricesByCode = new Map(list?.module.map((module) => [module.code, module[currencyKey]]))
  return (
    <div className="order-group">
      <h3>{t('modules', { count: row.modules.length })}</h3>
      {list && <p className="field-help">{t('modulePrices', { currency: row.currency, date: list.effective_date })}</p>}
      <ul className="order-modules">
        {row.modules.map((code) => (
          <li key={code}>
            <span>
              <span lang={getNameLang(namesByCode.get(code) ?? code)}>{namesByCode.get(code) ?? code}</span>{' '}
              <code>{code}</code>
            </span>
            {list && <span className="figure">{groupThousands(pricesByCode.get(code) ?? '–')}</span>}
          </li>
        ))}
        <JoiningModuleRows modules={joiningModules} />
      </ul>
    </div>
  )
}
