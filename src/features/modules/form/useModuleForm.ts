import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { createModule, type ModuleRow, updateModule } from '#contract/modules.ts'
import { checkModule, type ModuleProblem } from '#domain/checks/module-checks.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useEditForm } from '#patterns/edit-form/useEditForm.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useDispatch } from '#state/use-store.ts'
import { formatOrderFieldProblem } from '#ui/i18n/order-field-messages.ts'
import { useTranslation } from 'react-i18next'
import {
  fromModuleValues,
  type ModuleField,
  type ModuleFormFields,
  type ModuleFormValues,
  toModuleBody,
  toModuleValues,
} from '#features/modules/form/module-form.ts'
import { type ModuleKind, toModulePath } from '#features/modules/module-path.ts'
import { hiddenModulesList, modulesList } from '#features/modules/slice.ts'
import { useCatalogue } from '#features/modules/useCatalogue.ts'

/** The state of a module's form. Client and server use the same checks (contracts 5). */
export function useModuleForm(kind: ModuleKind, initialRow: OverlaidRow<ModuleRow> | null) {
  const { t } = useTranslation('modules')
  const dispatch = useDispatch()
  const navigate = useNavigate()
  const catalogue = useCatalogue(initialRow?.row.type)
  const isHidden = kind === 'hidden'
  const { type } = catalogue
  const ownCode = initialRow?.row.code ?? ''
  const otherModules = (catalogue.modules ?? []).filter(({ code }) => code !== ownCode || code === '')

  function check(fields: ModuleFormFields, changes: Partial<ModuleFormFields>): ModuleProblem[] {
    const { apps, isComplete } = catalogue
    const hasNewApps = 'apps' in changes || !initialRow
    const problems = checkModule(
      { ...fields, code: isHidden && fields.code === '' ? null : fields.code, hidden: isHidden },
      otherModules,
      hasNewApps && apps && isComplete ? new Map(apps.map(({ code, flag }) => [code, flag])) : null,
      'name' in changes ? null : fields.name,
    )
    // As long as the cached catalogue is incomplete, only the server knows all modules.
    return isComplete ? problems : problems.filter(({ code }) => code !== 'MODULE_UNKNOWN')
  }
  const formatFault = (fault: ModuleProblem): string =>
    fault.code === 'INVALID_FORMAT'
      ? t('form.codeWrong')
      : formatOrderFieldProblem(fault, t(`form.${fault.field as ModuleField}`), form.values.code)

  const form = useEditForm<ModuleRow, ModuleFormValues, ModuleFormFields, ModuleProblem>({
    name: `module ${kind} ${initialRow?.row.id ?? 'new'}`,
    row: initialRow,
    toValues: toModuleValues,
    fromValues: fromModuleValues,
    check,
    formatFault,
    save: ({ row, fields, changes, options }) =>
      row
        ? callEndpoint(updateModule, { params: { id: row.row.id }, body: changes }, options)
        : callEndpoint(createModule, { body: toModuleBody(fields, { hidden: isHidden, type }) }, options),
    onSaved({ id }) {
      if (!initialRow && id !== null) dispatch((isHidden ? hiddenModulesList : modulesList).rowCreated(id))
    },
    onLeave: () => void navigate(toModulePath(kind)),
    texts: {
      createAction: t('act.create'),
      submit: t(initialRow ? 'form.save' : 'form.create'),
      saving: t('form.saving'),
      unchanged: t('form.unchanged'),
    },
  })
  const findCodeFault = () => check(form.fields, form.changes).find(({ field }) => field === 'code')
  return {
    form,
    type,
    otherModules,
    apps: catalogue.apps,
    isLoading: catalogue.isLoading,
    codeProps: useCodeProps(form, findCodeFault, formatFault),
  }
}

/** Checks the code when its field loses the focus, and again when the complete catalogue has arrived. */
function useCodeProps(
  form: Pick<ReturnType<typeof useEditForm<ModuleRow, ModuleFormValues, ModuleFormFields>>, 'getFieldProps' | 'change'>,
  findFault: () => ModuleProblem | undefined,
  formatFault: (fault: ModuleProblem) => string,
) {
  const [isLeft, setIsLeft] = useState(false)
  const props = form.getFieldProps('code')
  const fault = isLeft && props.value !== '' ? findFault() : undefined
  return {
    ...props,
    error: props.error ?? (fault && formatFault(fault)),
    onChange({ target }: { target: { value: string } }) {
      setIsLeft(false)
      form.change({ code: target.value.trim() })
    },
    onBlur: () => setIsLeft(true),
  }
}
