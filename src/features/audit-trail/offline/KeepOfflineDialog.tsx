import { useState } from 'react'
import type { KeptState } from '#local/audit-trail/kept-state.ts'
import { useConnection, useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { AlarmNote } from '#features/audit-trail/offline/AlarmNote.tsx'
import { ChooseDays } from '#features/audit-trail/offline/ChooseDays.tsx'
import { KeptFacts } from '#features/audit-trail/offline/KeptFacts.tsx'
import { trailsPort } from '#features/audit-trail/offline/trails.ts'
import type { Filling } from '#features/audit-trail/offline/useFill.ts'
import { isWhole } from '#features/audit-trail/offline/is-whole.ts'

interface Props {
  companyId: number
  state: KeptState
  filling: Filling
  onClose: () => void
}

/** What is kept of the audit trail, or which days are to be. */
export function KeepOfflineDialog({ companyId, state, filling, onClose }: Props) {
  const { t } = useTranslation('auditKept')
  const { kept, alarm } = state
  const [choosing, setChoosing] = useState(false)
  const whole = kept !== null && isWhole(kept, alarm)
  const note = filling.said && <p role="status">{t(`keep.${filling.said}`)}</p>
  return (
    <Dialog open title={t('keep.title')} onClose={onClose}>
      <div className="form">
        {alarm && (
          <AlarmNote alarm={alarm}>
            <Accept companyId={companyId} />
          </AlarmNote>
        )}
        <ProblemNote problem={filling.problem} title={t('keep.failed')} />
        {note}
        {kept === null || choosing ? (
          <ChooseDays
            companyId={companyId}
            replaces={kept !== null}
            onBegun={() => {
              setChoosing(false)
              void filling.fill()
            }}
            onCancel={kept === null ? null : () => setChoosing(false)}
          />
        ) : (
          <>
            <KeptFacts companyId={companyId} kept={kept} isWhole={whole} isProven={alarm === null} />
            <Acts companyId={companyId} isWhole={whole} filling={filling} onChoose={() => setChoosing(true)} />
          </>
        )}
      </div>
    </Dialog>
  )
}

function Acts({
  companyId,
  isWhole,
  filling: { busy, fill, pause },
  onChoose,
}: {
  companyId: number
  isWhole: boolean
  filling: Filling
  onChoose: () => void
}) {
  const { t } = useTranslation('auditKept')
  const dispatch = useDispatch()
  const isOnline = useConnection().line === 'online'
  const whyNot = isOnline ? null : t('keep.offline')
  async function remove() {
    pause()
    await (await dispatch(trailsPort())).remove(companyId)
    showToast({ kind: 'done', text: t('keep.removed') })
  }
  return (
    <div className="problem-ways">
      {busy ? (
        <Button onClick={pause}>{t('keep.pause')}</Button>
      ) : (
        <Button icon="refresh" kind={isWhole ? 'quiet' : 'primary'} whyNot={whyNot} onClick={() => void fill()}>
          {t(isWhole ? 'keep.update' : 'keep.resume')}
        </Button>
      )}
      <Button whyNot={whyNot} onClick={onChoose}>
        {t('keep.other')}
      </Button>
      <Button icon="remove" onClick={() => void remove()}>
        {t('keep.remove')}
      </Button>
    </div>
  )
}

/** After somebody has looked: the alarm goes, and the next checkpoint is taken as the first was. */
function Accept({ companyId }: { companyId: number }) {
  const { t } = useTranslation('auditKept')
  const dispatch = useDispatch()
  async function accept() {
    await (await dispatch(trailsPort())).accept(companyId)
    showToast({ kind: 'done', text: t('alarm.accepted') })
  }
  return (
    <Button kind="danger" onClick={() => void accept()}>
      {t('alarm.accept')}
    </Button>
  )
}
