import { type FormEvent, useState } from 'react'
import type { Factor } from '#contract/factors.ts'
import type { Problem } from '#contract/problem.ts'
import { useDispatch } from '#state/hooks.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { fieldWords } from '#ui/i18n/problem-messages.ts'
import { rename } from '#features/accounts/factors-api.ts'

/** By its name it is told apart; how one signs in stays as it is, so nobody has to prove who they are. */
export function RenameFactor({ factor, onClose }: { factor: Factor; onClose: (changed: boolean) => void }) {
  const { t } = useTranslation('factors')
  const { t: words } = useTranslation('ui')
  const dispatch = useDispatch()
  const [typed, setTyped] = useState(factor.name)
  const [busy, setBusy] = useState(false)
  const [empty, setEmpty] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const label = t('name')
  async function send(event: FormEvent) {
    event.preventDefault()
    const name = typed.trim()
    if (busy) return
    if (name === '') return setEmpty(true)
    if (name === factor.name) return onClose(false)
    setBusy(true)
    const result = await dispatch(rename(factor.id, name))
    setBusy(false)
    if (result.kind === 'problem') return setProblem(result.problem)
    showToast({ kind: 'done', text: words('message.updated') })
    onClose(true)
  }
  return (
    <Dialog open title={t('rename.action', { name: factor.name })} onClose={() => onClose(false)} cancel={null}>
      <form className="form" noValidate onSubmit={(event) => void send(event)}>
        <ProblemNote problem={problem} title={words('message.updateFailed')} focus />
        <Field
          label={label}
          help={t('nameHelp')}
          error={empty ? fieldWords({ code: 'REQUIRED' }, label) : null}
          value={typed}
          maxLength={60}
          autoFocus
          autoComplete="off"
          onChange={({ target }) => {
            setTyped(target.value)
            setEmpty(false)
          }}
        />
        <div className="factor-ways">
          <Button kind="primary" type="submit" busy={busy}>
            {t('rename.submit')}
          </Button>
          <Button onClick={() => onClose(false)}>{words('form.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
