import { useState } from 'react'
import { grouped, readAmount, writeAmount } from '#domain/money.ts'
import { Button } from '#ui/display/Button.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { useTranslation } from 'react-i18next'
import type { SentList } from '#features/prices/sent-list.ts'
import { changeWords, signed } from '#features/prices/rehearsal/change-words.ts'
import { type ShowFee } from '#features/prices/rehearsal/fee-of.ts'
import { Histogram } from '#features/prices/rehearsal/Histogram.tsx'
import { Why } from '#features/prices/rehearsal/Why.tsx'
import type { Rehearsed } from '#features/prices/rehearsal/slice.ts'

interface Props {
  result: Rehearsed
  list: SentList
  names: ReadonlyMap<string, string>
  ShowFee: ShowFee
}

type Contract = Rehearsed['largest'][number] | Rehearsed['failures'][number]

/** What a rehearsal found: sums and their changes by currency, the largest changes, and what could not go on. */
export function RehearsalResult({ result, list, names, ShowFee }: Props) {
  const { t } = useTranslation('prices')
  const { contracts, currencies, largest, failing, failures } = result
  if (contracts === 0) return <p>{t('rehearsal.none')}</p>
  const priced = currencies.filter((one) => one.contracts > 0)
  const changed = largest.filter(({ now, then }) => now !== then)
  return (
    <div className="price-result">
      <div className="price-scroll">
        <table className="price-figures price-sums">
          <caption>{t('rehearsal.sums', { count: contracts, number: number(contracts) })}</caption>
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
            {priced.map((one) => (
              <tr key={one.currency}>
                <th scope="row">{one.currency}</th>
                <td data-label={t('rehearsal.contracts')}>{number(one.contracts)}</td>
                <td data-label={t('rehearsal.now')}>{grouped(one.now)}</td>
                <td data-label={t('rehearsal.then')}>{grouped(one.then)}</td>
                <td data-label={t('rehearsal.change')}>
                  {signed(writeAmount(readAmount(one.then) - readAmount(one.now)))} {changeWords(one.now, one.then)}
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
            {failures.map((one) => (
              <li key={one.contract_id}>
                <Named {...one} />:{' '}
                {one.why === 'usersOutOfRange'
                  ? t('rehearsal.users', { users: one.users })
                  : t('rehearsal.missing', { codes: one.missing.join(', ') })}
              </li>
            ))}
          </ul>
          {failing > failures.length && <p>{t('rehearsal.more', { number: failing - failures.length })}</p>}
        </section>
      )}
      {priced.map((one) => (
        <Histogram key={one.currency} {...one} />
      ))}
      {changed.length > 0 && (
        <section>
          <h3>{t('rehearsal.largest', { count: changed.length })}</h3>
          <ul className="price-largest">
            {changed.map((one) => (
              <Largest key={one.contract_id} {...{ one, list, names, ShowFee }} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** Whoever may not see contracts has their numbers alone (D49). */
function Named({ contract_id: id, code, name, company }: Pick<Contract, 'contract_id' | 'code' | 'name' | 'company'>) {
  const { t } = useTranslation('prices')
  if (code === null) return <>{t('rehearsal.contract', { id })}</>
  return (
    <>
      {company} · {name} <code>{code}</code>
    </>
  )
}

interface LargestProps extends Omit<Props, 'result'> {
  one: Rehearsed['largest'][number]
}

function Largest({ one, list, names, ShowFee }: LargestProps) {
  const { t } = useTranslation('prices')
  const [open, setOpen] = useState(false)
  const { currency, user_mode, users, modules, uat } = one
  return (
    <li>
      <div className="price-line">
        <span>
          <Named {...one} />
          <span className="price-sub">
            {t(`mode.${user_mode}`, { count: users })} · {t('rehearsal.modules', { count: modules.length })}
          </span>
        </span>
        <span className="price-line-amounts">
          <span className="figure">
            {currency} {grouped(one.now)} → {grouped(one.then)}
          </span>
          <strong className="figure">{changeWords(one.now, one.then)}</strong>
        </span>
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {t('why.act')}
        </Button>
      </div>
      {open && <Why {...{ list, names, ShowFee, currency }} choice={{ user_mode, users, modules, uat }} />}
    </li>
  )
}
