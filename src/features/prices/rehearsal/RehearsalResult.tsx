import { useState } from 'react'
import { groupThousands, readAmount, writeAmount } from '#domain/money.ts'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { formatSigned } from '#ui/display/Amount.tsx'
import { useTranslation } from 'react-i18next'
import type { SentList } from '#features/prices/sent-list.ts'
import { formatPercentChange } from '#features/prices/rehearsal/change-words.ts'
import { type ShowFee } from '#features/prices/rehearsal/annual-fee.ts'
import { Histogram } from '#features/prices/rehearsal/Histogram.tsx'
import { FeeExplanation } from '#features/prices/rehearsal/FeeExplanation.tsx'
import type { RehearsalOutput } from '#features/prices/rehearsal/rehearsal-slice.ts'
import { joinList } from '#ui/i18n/messages.ts'

interface Props {
  result: RehearsalOutput
  list: SentList
  namesByCode: ReadonlyMap<string, string>
  ShowFee: ShowFee
}

type RehearsedContract = RehearsalOutput['largest'][number] | RehearsalOutput['failures'][number]

export function RehearsalResult({ result, list, namesByCode, ShowFee }: Props) {
  const { t } = useTranslation('prices')
  const { contracts, currencies, largest, failing, failures } = result
  if (contracts === 0) return <p>{t('rehearsal.none')}</p>
  const pricedCurrencies = currencies.filter((currency) => currency.contracts > 0)
  const changedContracts = largest.filter(({ now, then }) => now !== then)
  return (
    <div className="price-result">
      <div className="price-scroll">
        <table className="price-figures price-sums">
          <caption>{t('rehearsal.sums', { count: contracts, number: formatNumber(contracts) })}</caption>
          <thead>
            <tr>
              <th scope="col">{t('rehearsal.currency')}</th>
              <th scope="col">{t('rehearsal.contracts')}</th>
              <th scope="col">{t('rehearsal.now')}</th>
              <th scope="col">{t('rehearsal.then')}</th>
              <th scope="col">{t('rehearsal.change')}</th>
            </tr>
          </thead>
          <tbody>
            {pricedCurrencies.map((currencyResult) => (
              <tr key={currencyResult.currency}>
                <th scope="row">{currencyResult.currency}</th>
                <td data-label={t('rehearsal.contracts')}>{formatNumber(currencyResult.contracts)}</td>
                <td data-label={t('rehearsal.now')}>{groupThousands(currencyResult.now)}</td>
                <td data-label={t('rehearsal.then')}>{groupThousands(currencyResult.then)}</td>
                <td data-label={t('rehearsal.change')}>
                  {formatSigned(writeAmount(readAmount(currencyResult.then) - readAmount(currencyResult.now)))}{' '}
                  {formatPercentChange(currencyResult.now, currencyResult.then)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {failing > 0 && (
        <section className="price-failing">
          <h3>{t('rehearsal.failing', { count: failing })}</h3>
          <p>{t('rehearsal.failingText')}</p>
          <ul>
            {failures.map((failure) => (
              <li key={failure.contract_id}>
                <ContractName {...failure} />:{' '}
                {failure.why === 'usersOutOfRange'
                  ? t('rehearsal.users', { users: failure.users })
                  : t('rehearsal.missing', { codes: joinList(failure.missing) })}
              </li>
            ))}
          </ul>
          {failing > failures.length && <p>{t('rehearsal.more', { number: failing - failures.length })}</p>}
        </section>
      )}
      {pricedCurrencies.map((currencyResult) => (
        <Histogram key={currencyResult.currency} {...currencyResult} />
      ))}
      {changedContracts.length > 0 && (
        <section>
          <h3>{t('rehearsal.largest', { count: changedContracts.length })}</h3>
          <ul className="price-largest">
            {changedContracts.map((contract) => (
              <LargestChange key={contract.contract_id} {...{ contract, list, namesByCode, ShowFee }} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** Users without access to contracts see only the contract's number (D49). */
function ContractName({
  contract_id: id,
  code,
  name,
  company,
}: Pick<RehearsedContract, 'contract_id' | 'code' | 'name' | 'company'>) {
  const { t } = useTranslation('prices')
  if (code === null) return <>{t('rehearsal.contract', { id })}</>
  return (
    <>
      {company} · {name} <code>{code}</code>
    </>
  )
}

interface LargestChangeProps extends Omit<Props, 'result'> {
  contract: RehearsalOutput['largest'][number]
}

function LargestChange({ contract, list, namesByCode, ShowFee }: LargestChangeProps) {
  const { t } = useTranslation('prices')
  const [isOpen, setIsOpen] = useState(false)
  const { currency, user_mode, users, modules, uat } = contract
  return (
    <li>
      <div className="price-line">
        <span>
          <ContractName {...contract} />
          <span className="price-sub">
            {t(`mode.${user_mode}`, { count: users })} · {t('rehearsal.modules', { count: modules.length })}
          </span>
        </span>
        <span className="price-line-amounts">
          <span className="figure">
            {currency} {groupThousands(contract.now)} → {groupThousands(contract.then)}
          </span>
          <strong className="figure">{formatPercentChange(contract.now, contract.then)}</strong>
        </span>
        <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t('why.act')}
        </Button>
      </div>
      {isOpen && (
        <FeeExplanation {...{ list, namesByCode, ShowFee, currency }} choice={{ user_mode, users, modules, uat }} />
      )}
    </li>
  )
}
