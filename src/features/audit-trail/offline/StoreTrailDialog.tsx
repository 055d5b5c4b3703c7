import { useState } from 'react'
import type { StoredTrailState } from '#local/audit-trail/stored-trail-state.ts'
import { useConnection, useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { AlarmNote } from '#features/audit-trail/offline/AlarmNote.tsx'
import { ChooseDays } from '#features/audit-trail/offline/ChooseDays.tsx'
import { StoredTrailFacts } from '#features/audit-trail/offline/StoredTrailFacts.tsx'
import { getTrailActions } from '#features/audit-trail/offline/trail-actions.ts'
import type { TrailFill } from '#features/audit-trail/offline/useTrailFill.ts'
import { isTrailComplete } from '#features/audit-trail/offline/is-trail-complete.ts'

interface StoreTrailDialogProps {
  companyId: number
  state: StoredTrailState
  trailFill: TrailFill
  onClose: () => void
}

export function StoreTrailDialog({ companyId, state, trailFill, onClose }: StoreTrailDialogProps) {
  const { t } = useTranslation('storedTrail')
  const { storedTrail, alarm } = state
  const [isChoosing, setIsChoosing] = useState(false)
  const isStored = storedTrail !== null && isTrailComplete(storedTrail, alarm)
  const note = trailFill.notice && <p role="status">{t(`keep.${trailFill.notice}`)}</p>
  return (
    <Dialog open title={t('keep.title')} onClose={onClose}>
      <div className="form">
        {alarm && (
          <AlarmNote alarm={alarm}>
            <AcceptAlarm companyId={companyId} />
          </AlarmNote>
        )}
        <ProblemNote problem={trailFill.problem} title={t('keep.failed')} />
        {note}
        {storedTrail === null || isChoosing ? (
          <ChooseDays
            companyId={companyId}
            isReplacement={storedTrail !== null}
            onStarted={() => {
              setIsChoosing(false)
              void trailFill.fill()
            }}
            onCancel={storedTrail === null ? null : () => setIsChoosing(false)}
          />
        ) : (
          <>
            <StoredTrailFacts
              companyId={companyId}
              storedTrail={storedTrail}
              isComplete={isStored}
              isProven={alarm === null}
            />
            <StoredTrailActions
              companyId={companyId}
              isComplete={isStored}
              trailFill={trailFill}
              onChoose={() => setIsChoosing(true)}
            />
          </>
        )}
      </div>
    </Dialog>
  )
}

function StoredTrailActions({
  companyId,
  isComplete,
  trailFill: { isBusy, fill, pause },
  onChoose,
}: {
  companyId: number
  isComplete: boolean
  trailFill: TrailFill
  onChoose: () => void
}) {
  const { t } = useTranslation('storedTrail')
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const disabledReason = isOnline ? null : t('keep.offline')
  async function remove() {
    pause()
    await (await dispatch(getTrailActions())).remove(companyId)
    showToast({ kind: 'done', text: t('keep.removed') })
  }
  return (
    <div className="problem-ways">
      {isBusy ? (
        <Button onClick={pause}>{t('keep.pause')}</Button>
      ) : (
        <Button
          icon="refresh"
          kind={isComplete ? 'quiet' : 'primary'}
          disabledReason={disabledReason}
          onClick={() => void fill()}
        >
          {t(isComplete ? 'keep.update' : 'keep.resume')}
        </Button>
      )}
      <Button disabledReason={disabledReason} onClick={onChoose}>
        {t('keep.other')}
      </Button>
      <Button icon="remove" onClick={() => void remove()}>
        {t('keep.remove')}
      </Button>
    </div>
  )
}

/** Lets the user end the alarm (the warning that the log was changed). The next checkpoint is then trusted like the first one. */
function AcceptAlarm({ companyId }: { companyId: number }) {
  const { t } = useTranslation('storedTrail')
  const dispatch = useDispatch()
  async function accept() {
    await (await dispatch(getTrailActions())).accept(companyId)
    showToast({ kind: 'done', text: t('alarm.accepted') })
  }
  return (
    <Button kind="danger" onClick={() => void accept()}>
      {t('alarm.accept')}
    </Button>
  )
}
