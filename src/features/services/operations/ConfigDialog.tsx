import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import type { Intent } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import type { ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { problemWords } from '#ui/i18n/problem-messages.ts'
import { SelectField } from '#ui/form/ChoiceFields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { LeaveQuestion, useHeldSteps } from '#ui/navigation-guard/NavigationGuard.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { memoryOf, taskCounts } from '#features/services/operations/config-form.ts'
import { useOperate } from '#features/services/operations/useOperate.ts'
import { useWhyOffline } from '#features/services/useWhyOffline.ts'
import type { Wish } from '#features/services/slice.ts'

interface Props {
  row: ServiceRow
  onClose: () => void
  onDone: (wish: Wish, intent: Intent) => void
}

/**
 * Memory and number of tasks (M118), each with what it means. It stays until the host has taken what was typed: a host without so much
 * memory says so beside the field.
 */
export function ConfigDialog({ row, onClose, onDone }: Props) {
  const { t } = useTranslation('services')
  const form = useId()
  const whyNot = useWhyOffline()
  const [isRunning, setRunning] = useState(false)
  const [refusal, setRefusal] = useState<Problem | null>(null)
  const isOpen = useRef(true)
  useEffect(() => {
    isOpen.current = true
    return () => void (isOpen.current = false)
  }, [])
  const { busy, problem, run } = useOperate({
    row,
    onStarted: () => setRunning(true),
    onDone(wish, intent) {
      if (isOpen.current) onClose()
      onDone(wish, intent)
    },
    onRefused(refused) {
      if (!isOpen.current) return false
      setRunning(false)
      setRefusal(refused)
      if (refused.code === 'NO_MEMORY') focusMemory()
      return true
    },
  })
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
    if (wanted === null) return focusMemory()
    if (whyNot || busy) return
    setRefusal(null)
    run({ kind: 'configure', id: row.id, memory: wanted, tasks })
  }
  const lacksMemory = refusal?.code === 'NO_MEMORY'
  const memoryFault = isWrong ? t('config.memoryWrong') : lacksMemory ? problemWords(refusal) : null
  const act = (
    <Button kind="primary" type="submit" form={form} busy={busy} whyNot={whyNot}>
      {t('config.save')}
    </Button>
  )
  const question = leaving && <LeaveQuestion onStay={() => setLeaving(null)} onLeave={onClose} />
  return (
    <Dialog
      open
      title={t('config.title', { code: row.code })}
      onClose={close}
      act={act}
      cancel={isRunning ? t('config.close') : undefined}
      question={question}
    >
      <form id={form} className="form service-config" noValidate onSubmit={submit}>
        <ProblemNote problem={problem ?? (lacksMemory ? null : refusal)} title={t('failed.configure')} focus />
        <Field
          name="memory"
          size="figures"
          label={t('config.memory')}
          help={t('config.memoryHelp')}
          error={memoryFault}
          inputMode="numeric"
          autoComplete="off"
          value={memory}
          onChange={({ target }) => {
            setMemory(target.value)
            setRefusal(null)
            if (isWrong) setWrong(memoryOf(target.value) === null)
          }}
        />
        <SelectField
          name="tasks"
          label={t('config.tasks')}
          help={t('config.tasksHelp')}
          options={taskCounts.map((count) => ({ value: count, label: t(`config.task.${count}`) }))}
          value={tasks}
          onChange={({ target }) => {
            setTasks(taskCounts.find((count) => String(count) === target.value) ?? -1)
            setRefusal(null)
          }}
        />
        <p className="field-help">{t('config.note')}</p>
        {whyNot && <p className="field-help">{whyNot}</p>}
        <p className="field-help" role="status">
          {isRunning && t('config.running')}
        </p>
      </form>
    </Dialog>
  )
}

const focusMemory = () => document.querySelector<HTMLElement>('[name=memory]')?.focus()
