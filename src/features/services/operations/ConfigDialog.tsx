import { useEffect, useRef, useState } from 'react'
import { configureService, type ServiceRow } from '#contract/services.ts'
import type { Problem } from '#contract/problem.ts'
import type { CallResult } from '#request/call-results.ts'
import { useIsActing } from '#state/use-store.ts'
import { useAction } from '#state/use-action.ts'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { SelectField } from '#ui/form/choice-fields.tsx'
import { Field } from '#ui/form/Field.tsx'
import { FormDrawer } from '#ui/form/FormDrawer.tsx'
import { showToast } from '#ui/overlay/toasts.tsx'
import { useTranslation } from 'react-i18next'
import { formatFailure } from '#features/services/format-failure.ts'
import { formatMemoryDifference } from '#features/services/memory-difference.ts'
import { parseMemory, taskCounts } from '#features/services/operations/parse-memory.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

interface ConfigDialogProps {
  row: ServiceRow
  onClose: () => void
  onDone: () => void
}

interface ConfigFields {
  /** Memory in MB. Null if the typed text is not valid. */
  memory: number | null
  tasks: number
}

interface MemoryFault {
  field: 'memory'
  code: string
  problem?: Problem
}

/** Edits memory and number of tasks (M118). The dialog stays open until the host has accepted the values. */
export function ConfigDialog({ row, onClose, onDone }: ConfigDialogProps) {
  const { t } = useTranslation('services')
  const isOpenRef = useIsOpenRef()
  const [isRunning, setRunning] = useState(false)
  const endResult = useRef<CallResult<unknown> | null>(null)
  const { run } = useAction(configureService, {
    onStarted: () => setRunning(true),
    onEnd(result) {
      endResult.current = result
      setRunning(false)
      if (result.kind === 'problem' && !isOpenRef.current)
        showToast({ kind: 'failed', text: formatFailure(row.code, t('failed.configure'), result.problem) })
    },
  })
  const form = useEditForm<ServiceRow, { memory: string; tasks: string }, ConfigFields, MemoryFault>({
    name: `service-config ${row.id}`,
    actingCall: 'configureService',
    row: { row, waiting: null },
    toValues: () => ({ memory: String(row.task_runtime_memory), tasks: String(row.task_desire_count) }),
    fromValues: ({ memory, tasks }) => ({ memory: parseMemory(memory), tasks: Number(tasks) }),
    check: ({ memory }) => (memory === null ? [{ field: 'memory', code: 'INVALID' }] : []),
    findFaults: (problem) => (problem.code === 'NO_MEMORY' ? [{ field: 'memory', code: problem.code, problem }] : []),
    formatFault: ({ problem }) => (problem ? formatProblem(problem) : t('config.memoryWrong')),
    canSaveUnchanged: true,
    save:
      ({ fields: { memory, tasks } }) =>
      async () => {
        endResult.current = null
        const query = { serviceId: row.id, task_runtime_memory: memory ?? 0, task_desire_count: tasks }
        const startResult = await run({ query })
        return endResult.current ?? startResult
      },
    onSaved() {
      if (isOpenRef.current) onClose()
      onDone()
    },
    texts: {
      submit: t('config.save'),
      saving: t('config.save'),
      unchanged: '',
      updated: t('done.of', { code: row.code, text: t('done.configure') }),
    },
  })
  const { failureTitle, disabledReason: formReason } = form.formProps
  const disabledReason = useUnsendableReason(t('whyNot.offline'), formReason, 'configureService')
  const memoryDifference = formatMemoryDifference(row, t)
  const tasksProps = form.getFieldProps('tasks')
  const isActing = useIsActing()
  // While acting for a customer, no service is stopped (decision 116). One that is stopped already shows its own value.
  const shownTaskCounts = taskCounts.filter((count) => count !== 0 || !isActing || row.task_desire_count === 0)
  return (
    <FormDrawer
      open
      side="center"
      {...form.formProps}
      title={t('config.title', { code: row.code })}
      // If saving is blocked, nothing has failed and the form has no failure title.
      failureTitle={failureTitle && t('failed.configure')}
      disabledReason={disabledReason}
      cancel={isRunning ? t('config.close') : undefined}
      onClose={onClose}
    >
      <Field
        size="figures"
        label={t('config.memory')}
        help={
          memoryDifference === null
            ? t('config.memoryHelp')
            : t('config.memoryHelpDifferent', {
                help: t('config.memoryHelp'),
                difference: t('capacity.differentText', { difference: memoryDifference }),
              })
        }
        inputMode="numeric"
        autoComplete="off"
        {...form.getFieldProps('memory')}
      />
      <SelectField
        {...tasksProps}
        label={t('config.tasks')}
        help={t('config.tasksHelp')}
        options={shownTaskCounts.map((count) => ({ value: count, label: t(`config.task.${count}`) }))}
        // Fewer tasks need less memory, so an earlier refusal of the memory is removed.
        onChange={({ target }) => form.change({ tasks: target.value, memory: form.values.memory })}
      />
      <p className="field-help">{t('config.note')}</p>
      {disabledReason && <p className="field-help">{disabledReason}</p>}
      <p className="field-help" role="status">
        {isRunning && t('config.running')}
      </p>
    </FormDrawer>
  )
}

/** `current` is false after the dialog was closed. The result of the operation is then shown as a toast. */
function useIsOpenRef() {
  const isOpenRef = useRef(true)
  useEffect(() => {
    isOpenRef.current = true
    return () => void (isOpenRef.current = false)
  }, [])
  return isOpenRef
}
