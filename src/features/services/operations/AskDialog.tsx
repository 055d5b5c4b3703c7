import type { Intent } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { TypedConfirmation } from '#ui/form/TypedConfirmation.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { useOperate } from '#features/services/operations/useOperate.ts'
import { useWhyOffline } from '#features/services/useWhyOffline.ts'
import type { Wish } from '#features/services/slice.ts'

export type AskedMove = 'create' | 'update' | 'reboot' | 'reset' | 'remove'

interface Props {
  row: ServiceRow
  onClose: () => void
  onDone: (wish: Wish, intent: Intent) => void
}

/** Says what will happen to whom before anything is sent; in one that takes something away the safe way out has the focus (C-16). */
export function AskDialog({ move, row, onClose, onDone }: Props & { move: AskedMove }) {
  const { t } = useTranslation('services')
  const whyNot = useWhyOffline()
  const { busy, problem, run } = useOperate({ row, onStarted: onClose, onDone })
  const isLoss = move === 'remove'
  const wish: Wish =
    move === 'create'
      ? { kind: move, contractId: row.contract_id, hasData: row.erase_date !== null }
      : { kind: move, id: row.id }
  const act = (
    <Button kind={isLoss ? 'danger' : 'primary'} busy={busy} whyNot={whyNot} onClick={() => run(wish)}>
      {t(`move.${move}`)}
    </Button>
  )
  return (
    <Dialog open title={t(`ask.${move}.title`, { code: row.code })} onClose={onClose} act={act}>
      <div className="form">
        <ProblemNote problem={problem} title={t(`failed.${move}`)} focus />
        <p>{t(`ask.${move}.text`)}</p>
        {whyNot && <p className="field-help">{whyNot}</p>}
      </div>
    </Dialog>
  )
}

/** The code of the service and a code are typed (M52, D41). */
export function DeleteDialog({ row, onClose, onDone }: Props) {
  const { t } = useTranslation('services')
  const { busy, problem, run } = useOperate({ row, onStarted: onClose, onDone })
  const { id, code, name, company_name: company } = row
  return (
    <TypedConfirmation
      open
      title={t('ask.delete.title', { code })}
      value={code}
      label={t('ask.delete.label')}
      action={t('move.delete')}
      busy={busy}
      problem={problem}
      onConfirm={() => run({ kind: 'delete', id })}
      onClose={onClose}
    >
      <p>{t('ask.delete.text', { name, company })}</p>
    </TypedConfirmation>
  )
}
