import { type FormEvent, type ReactNode, useId, useMemo, useState } from 'react'
import type { Problem } from '#contract/problem.ts'
import { Button } from '#ui/display/Button.tsx'
import { confirmCode } from '#ui/form/confirm-code.ts'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { Field } from '#ui/form/Field.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'

export interface TypedConfirmationProps {
  open: boolean
  /** "Delete Li Wei" */
  title: string
  /** What is lost. */
  children: ReactNode
  /** What is to be typed exactly, and how it is called: "E-mail". */
  value: string
  label: string
  /** What the button does: "Delete user". */
  action: string
  busy: boolean
  problem: Problem | null
  onConfirm: () => void
  onClose: () => void
}

const grouped = (code: string) => code.match(/.{4}/g) ?? []
/** The groups are for the eye: spaces between them may be typed or not. */
const same = (typed: string, code: string) => typed.replaceAll(/\s/g, '') === code

const blocked = {
  onPaste: (event: { preventDefault: () => void }) => event.preventDefault(),
  onDrop: (event: { preventDefault: () => void }) => event.preventDefault(),
}

/** For what cannot be undone: one types its name and a code; only pasting and dropping are blocked, and only here (M52). */
export function TypedConfirmation(props: TypedConfirmationProps) {
  return props.open ? <Asked {...props} /> : null
}

function Asked({ title, children, value, label, action, busy, problem, onConfirm, onClose }: TypedConfirmationProps) {
  const { t } = useTranslation('ui')
  const form = useId()
  const code = useMemo(() => confirmCode((bytes) => crypto.getRandomValues(bytes)), [])
  const [typed, setTyped] = useState({ value: '', code: '' })
  const [wrong, setWrong] = useState<{ value: boolean; code: boolean }>({ value: false, code: false })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = { value: typed.value !== value, code: !same(typed.code, code) }
    setWrong(found)
    if (!found.value && !found.code) onConfirm()
    else document.querySelector<HTMLElement>(`[name=${found.value ? 'typed-value' : 'typed-code'}]`)?.focus()
  }
  const act = (
    <Button kind="danger" type="submit" form={form} busy={busy}>
      {action}
    </Button>
  )
  return (
    <Dialog open title={title} onClose={onClose} act={act}>
      <form id={form} className="form" noValidate onSubmit={submit}>
        <ProblemNote problem={problem} focus />
        <div className="confirm-loss">{children}</div>
        <Field
          name="typed-value"
          label={label}
          help={t('confirm.typeValue', { value })}
          error={wrong.value ? t('confirm.wrong') : null}
          value={typed.value}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setTyped({ ...typed, value: event.target.value })}
          {...blocked}
        />
        <Field
          name="typed-code"
          label={t('confirm.code')}
          help={
            <span className="confirm-code">
              {grouped(code).map((group, index) => (
                // biome-ignore lint: the groups of one code never move
                <code key={index}>{group}</code>
              ))}
            </span>
          }
          error={wrong.code ? t('confirm.wrong') : null}
          value={typed.code}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setTyped({ ...typed, code: event.target.value })}
          {...blocked}
        />
      </form>
    </Dialog>
  )
}
