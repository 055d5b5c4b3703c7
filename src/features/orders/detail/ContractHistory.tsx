import { useState } from 'react'
import { Link } from 'react-router-dom'
import { isOffline, type Problem } from '#contract/problem.ts'
import { useOfflineReason } from '#patterns/useOfflineReason.ts'
import { useDispatch } from '#state/use-store.ts'
import { Amount } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { LoadProblem } from '#ui/page/LoadProblem.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { printDocument } from '#features/orders/print/print-document.ts'
import { StatusTag } from '#features/orders/StatusTag.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { joinList } from '#ui/i18n/messages.ts'

const columns = ['contract', 'status', 'period', 'users', 'modules', 'payAmount'] as const

/** In a narrow card the users are below the number, and the modules are left out. */
const columnClasses: Partial<Record<(typeof columns)[number], string>> = {
  users: 'number history-wide',
  modules: 'history-wide',
  payAmount: 'number',
}

/** Maximum number of contracts of a history that is not opened. One more is displayed instead of the button. */
const maxClosedRows = 3

/** Lists a contract and the contracts that it replaced, newest first (M99). The older ones of a long history are hidden at first. */
export function ContractHistory({
  rows,
  problem,
  onRetry,
  currentId,
}: {
  rows: readonly ContractRow[] | null
  problem: Problem | null
  onRetry: () => void
  currentId: number
}) {
  const { t } = useTranslation('contract')
  const isMissing = rows === null && problem !== null
  const [isOpen, setIsOpen] = useState(false)
  const isClosed = !isOpen && rows !== null && rows.length > maxClosedRows + 1
  return (
    <section className="card order-history" aria-labelledby="order-history">
      <h2 id="order-history">{t('history')}</h2>
      {isMissing && isOffline(problem) && <p className="field-help">{t('historyOffline')}</p>}
      <LoadProblem problem={problem} onRetry={onRetry} />
      {rows === null && !isMissing && <Skeleton />}
      {rows && (
        // biome-ignore lint: what can be scrolled can be reached by key
        <div className="order-scroll" tabIndex={0} role="group" aria-labelledby="order-history">
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col" className={columnClasses[name]}>
                    {t(`column.${name}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {(isClosed ? rows.slice(0, maxClosedRows) : rows).map((row) => (
                <HistoryRow key={row.id} row={row} isCurrent={row.id === currentId} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isClosed && (
        <p>
          <Button kind="plain" onClick={() => setIsOpen(true)}>
            {t('historyAll', { count: rows.length, number: formatNumber(rows.length) })}
          </Button>
        </p>
      )}
    </section>
  )
}

function HistoryRow({ row, isCurrent }: { row: ContractRow; isCurrent: boolean }) {
  const { t } = useTranslation('contract')
  const { t: orders } = useTranslation('orders')
  const { t: tWizard } = useTranslation('wizard')
  const offlineReason = useOfflineReason(t('needsLine'))
  const dispatch = useDispatch()
  return (
    <tr aria-current={isCurrent || undefined}>
      <th scope="row">
        {isCurrent ? (
          <code>{row.code}</code>
        ) : (
          <Link to={`/app/contract/${row.order_id}`}>
            <code>{row.code}</code>
          </Link>
        )}
        <span className="beside">
          {orders(`type.${row.type}`)} · {row.create_time.slice(0, 10)}
        </span>
        <span className="beside history-narrow">
          {t('historyUsers', { count: row.users, number: formatNumber(row.users) })} ·{' '}
          {tWizard(`mode.${row.user_mode}`)}
        </span>
        {row.restores && <span className="beside restores">{t('undo.restores', { code: row.restores })}</span>}
      </th>
      <td data-label={t('column.status')}>
        <StatusTag state={row.state} />
      </td>
      <td data-label={t('column.period')}>
        <span>
          <span className="day">{row.period_start}</span> – <span className="day">{row.expired_date}</span>
        </span>
      </td>
      <td data-label={t('column.users')} className="number history-wide">
        <div>
          {formatNumber(row.users)}
          <span className="beside">{tWizard(`mode.${row.user_mode}`)}</span>
        </div>
      </td>
      <td data-label={t('column.modules')} className="history-wide">
        {joinList(row.modules)}
      </td>
      <td data-label={t('column.payAmount')} className="number">
        <div className="order-paid">
          {row.pay_amount === null ? '–' : <Amount currency={row.currency} amount={row.pay_amount} />}
          {row.invoice_no && (
            <Button
              kind="plain"
              disabledReason={offlineReason}
              onClick={() => void dispatch(printDocument('contract', row.id))}
            >
              <span className="sr-only">{t('sold.invoice')}</span> {row.invoice_no}
            </Button>
          )}
        </div>
      </td>
    </tr>
  )
}
