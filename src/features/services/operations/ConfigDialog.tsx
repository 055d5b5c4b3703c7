import { type FormEvent, useId, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { LeaveQuestion, useHeldSteps } from '#ui/navigation-guard/NavigationGuard.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { memoryOf, taskCounts } from '#features/services/operations/config-form.ts'
import { useOperate } from '#features/services/operations/useOperate.ts'
import { useWhyOffline } from '#features/services/operations/useWhyOffline.ts'
import type { Wish } from '#features/services/slice.ts'

interface Props {
  row: ServiceRow
  onClose: () => void
  onDone: (wish: Wish, intent: Intent) => void
}

/** Memory and number of tasks (M118), each with what it means. What is typed stays while it cannot be sent. */
export function ConfigDialog({ row, onClose, onDone }: Props) {
  const { t } = useTranslation('services')
  const form = useId()
  const whyNot = useWhyOffline()
  const { busy, problem, run } = useOperate({ row, onStarted: onClose, onDone })
  const [memory, setMemory] = useState(String(row.task_runtime_memory))
  const [tasks, setTasks] = useState(row.task_desire_count)
  const [isWrong, setWrong] = useState(false)
  const [now] = useState(row)
  const dirty = memory !== String(now.task_runtime_memory) || tasks !== now.task_desire_count
  const [leaving, setLeaving] = useHeldSteps(dirty)
  const close = () => (dirty && !busy ? setLeaving({ go: onClose }) : onClose())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = memoryOf(memory)
    setWrong(wanted === null)
    if (wanted === null) document.querySelector<HTMLElement>('[name=memory]')?.focus()
    else if (!whyNot && !busy) run({ kind: 'configure', id: row.id, memory: wanted, tasks })
  }
  const act = (
    <Button kind="primary" type="submit" form={form} busy={busy} whyNot={whyNot}>
      {t('config.save')}
    </Button>
  )
  const question = leaving && <LeaveQuestion onStay={() => setLeaving(null)} onLeave={onClose} />
  return (
    <Dialog open title={t('config.title', { code: row.code })} onClose={close} act={act} question={question}>
      <form id={form} className="form service-config" noValidate onSubmit={submit}>
        <ProblemNote problem={problem} title={t('failed.configure')} focus />
        <Field
          name="memory"
          size="figures"
          label={t('config.memory')}
          help={t('config.memoryHelp')}
          error={isWrong ? t('config.memoryWrong') : null}
          inputMode="numeric"
          autoComplete="off"
          value={memory}
          onChange={({ target }) => {
            setMemory(target.value)
            if (isWrong) setWrong(memoryOf(target.value) === null)
          }}
        />
        <SelectField
          name="tasks"
          label={t('config.tasks')}
          help={t('config.tasksHelp')}
          options={taskCounts.map((count) => ({ value: count, label: t(`config.task.${count}`) }))}
          value={tasks}
          onChange={({ target }) => setTasks(taskCounts.find((count) => String(count) === target.value) ?? -1)}
        />
        <p className="field-help">{t('config.note')}</p>
        {whyNot && <p className="field-help">{whyNot}</p>}
      </form>
    </Dialog>
  )
}
