import type { OrderRow } from '#contract/orders.ts'
import { discardedAmount } from '#domain/fees/discarded-amount.ts'
import { readAmount, writeAmount } from '#domain/money.ts'
import { useConnection } from '#state/hooks.ts'
import { amountText } from '#ui/display/Amount.tsx'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { number } from '#ui/list/Freshness.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useToday } from '#ui/page/business-day.ts'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { differenceOf } from '#features/orders/change/change-diff.ts'
import { AppChanges } from '#features/orders/draft/ContractAppChanges.tsx'
import type { ContractRow } from '#features/orders/contract-row.ts'
import { useUndoChange } from '#features/orders/detail/useUndoChange.ts'

interface Props {
  row: OrderRow
  /** The business time zone. */
  zone: string
  /** The contract and those that it replaced, newest first; null: not here yet. */
  contracts: readonly ContractRow[] | null
  /** Names of modules, by code. */
  names: ReadonlyMap<string, string>
  onUndone: (made: OrderRow) => void
  onRefused: () => void
}

/** A change of today that discarded money, and how to undo it; nothing where it cannot be undone any more. */
export function UndoNotice({ row, zone, contracts, names, onUndone, onRefused }: Props) {
  const { t } = useTranslation('contract')
  const { line } = useConnection()
  const today = useToday(zone)
  const { busy, problem, refusal, question, undo, agree, decline } = useUndoChange(row.contract_id, {
    onUndone: (made) => {
      showToast({ kind: 'done', text: t('undo.done') })
      onUndone(made)
    },
    onRefused,
  })
  // A row that an earlier build stored has no such field.
  const until = row.undo_until ?? null
  const isOpen = until !== null && until.slice(0, 10) === today && row.pending === null && row.state === 'effective'
  if (!isOpen && !problem) return null
  const sums = {
    contract_amount: readAmount(row.contract_amount ?? '0.00'),
    residual_amount: readAmount(row.residual_amount ?? '0.00'),
  }
  const discarded = amountText(row.currency, writeAmount(discardedAmount(sums)))
  return (
    <div className="order-note warning" role="status">
      <Icon name="info" />
      <div>
        {isOpen && (
          <>
            <WhatChanged {...{ row, contracts, names, until }} />
            <p>{t('discard.text', { amount: discarded })}</p>
          </>
        )}
        <ProblemNote problem={refusal ? null : problem} title={t('undo.failed')} focus />
        {refusal && <p role="alert">{t(`undo.why.${refusal}`)}</p>}
      </div>
      {isOpen && (
        <div className="order-note-acts">
          <Button busy={busy} whyNot={line === 'online' ? null : t('needsLine')} onClick={undo}>
            {t('undo.act')}
          </Button>
        </div>
      )}
      {question && (
        <Dialog
          open
          title={t('consent.appsTitle')}
          onClose={decline}
          act={
            <Button kind="primary" onClick={agree}>
              {t('undo.act')}
            </Button>
          }
          cancel={t('consent.back')}
          careful
        >
          <div className="form">
            <p>{t('undo.appsText')}</p>
            <AppChanges info={question.info} />
          </div>
        </Dialog>
      )}
    </div>
  )
}

/** `Changed today from 40 to 10 users. Undo until 23:59.`, then what else changed. */
function WhatChanged({ row, contracts, names, until }: Pick<Props, 'row' | 'contracts' | 'names'> & { until: string }) {
  const { t } = useTranslation('contract')
  const { t: wizard } = useTranslation('wizard')
  const time = until.slice(11, 16)
  const at = contracts?.findIndex(({ id }) => id === row.contract_id) ?? -1
  const before = at < 0 ? undefined : contracts?.[at + 1]
  if (!before) return <p>{t('undo.changed', { time })}</p>
  const { users, user_mode, uat, added, removed } = differenceOf(before, row)
  const named = (codes: readonly string[]) => codes.map((code) => names.get(code) ?? code).join(', ')
  return (
    <>
      <p>
        {users
          ? t('undo.users', { from: number(before.users), to: number(row.users), time })
          : t('undo.changed', { time })}
      </p>
      {user_mode && (
        <p>{t('undo.mode', { from: wizard(`mode.${before.user_mode}`), to: wizard(`mode.${row.user_mode}`) })}</p>
      )}
      {uat && <p>{t('undo.uat', { from: t(uatWord(before.uat)), to: t(uatWord(row.uat)) })}</p>}
      {added.length > 0 && <p>{t('added', { names: named(added) })}</p>}
      {removed.length > 0 && <p>{t('removed', { names: named(removed) })}</p>}
    </>
  )
}

const uatWord = (uat: 0 | 1) => (uat === 1 ? ('uat.yes' as const) : ('uat.no' as const))
