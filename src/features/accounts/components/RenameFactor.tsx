import { type FormEvent, useState } from 'react'
import { type EnrolledFactor, renameFactor } from '#contract/factors.ts'
import { useAction } from '#state/use-action.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatFieldProblem } from '#ui/i18n/problem-messages.ts'

/** Renames a factor. The name does not affect the sign-in, so the user need not be verified. */
export function RenameFactor({ factor, onClose }: { factor: EnrolledFactor; onClose: (isChanged: boolean) => void }) {
  const { t } = useTranslation('factors')
  const { t: tUi } = useTranslation('ui')
  const { run, isBusy, problem } = useAction(renameFactor)
  const [newName, setNewName] = useState(factor.name)
  const [isEmpty, setEmpty] = useState(false)
  const label = t('name')
  async function send(event: FormEvent) {
    event.preventDefault()
    const name = newName.trim()
    if (isBusy) return
    if (name === '') return setEmpty(true)
    if (name === factor.name) return onClose(false)
    const result = await run({ body: { id: factor.id, name } })
    if (result.kind === 'problem') return
    showToast({ kind: 'done', text: tUi('message.updated') })
    onClose(true)
  }
  return (
    <Dialog open title={t('rename.action', { name: factor.name })} onClose={() => onClose(false)} cancel={null}>
      <form className="form" noValidate onSubmit={(event) => void send(event)}>
        <ProblemNote problem={problem} title={tUi('message.updateFailed')} shouldFocus />
        <Field
          label={label}
          help={t('nameHelp')}
          error={isEmpty ? formatFieldProblem({ code: 'REQUIRED' }, label) : null}
          value={newName}
          maxLength={60}
          autoFocus
          autoComplete="off"
          onChange={({ target }) => {
            setNewName(target.value)
            setEmpty(false)
          }}
        />
        <div className="factor-ways">
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {t('rename.submit')}
          </Button>
          <Button onClick={() => onClose(false)}>{tUi('form.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
