import { useState } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { Problem } from '#contract/problem.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { useTellOf } from '#features/users/list/useResultToast.ts'
import { move } from '#features/users/list/slice.ts'

/** Names whom it is about and what is lost; the safe way out has the focus (C-16, A-10). */
export function RemoveUser({
  shown,
  onClose,
  onDone,
}: {
  shown: OverlaidRow<UserRow> | null
  onClose: () => void
  onDone: () => void
}) {
  const { t } = useTranslation('people')
  const { t: users } = useTranslation('users')
  const dispatch = useDispatch()
  const tell = useTellOf()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  if (shown === null) return null
  const { id, name, email } = shown.row

  const close = () => {
    setProblem(null)
    onClose()
  }
  async function remove() {
    setBusy(true)
    const result = await dispatch(move('remove', id))
    setBusy(false)
    if (result?.kind === 'problem') return setProblem(result.problem)
    if (result) tell(users('action.remove'), result)
    setProblem(null)
    onDone()
  }
  const footer = (
    <>
      <Button autoFocus onClick={close}>
        {t('remove.cancel')}
      </Button>
      <Button kind="danger" busy={busy} onClick={() => void remove()}>
        {t('remove.confirm')}
      </Button>
    </>
  )
  return (
    <Dialog open title={t('remove.title', { name })} onClose={close} footer={footer}>
      <div className="form">
        <ProblemNote problem={problem} focus />
        <p>{t('remove.text', { name, email })}</p>
      </div>
    </Dialog>
  )
}
