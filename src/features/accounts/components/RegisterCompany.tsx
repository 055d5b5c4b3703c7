import { type ComponentType, type FormEvent, useEffect, useRef, useState } from 'react'
import {
  checkCompany,
  checkNewCompany,
  type CompanyField,
  type CompanyValues,
} from '#domain/accounts/company-fields.ts'
import type { FieldProblem } from '#domain/checks/field-checks.ts'
import type { SignupValues } from '#domain/accounts/signup.ts'
import { useDispatch } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import { ErrorSummary } from '#ui/form/ErrorSummary.tsx'
import { useTranslation } from 'react-i18next'
import { useSmallForm } from '#features/accounts/components/useSmallForm.ts'
import { checkCodeTaken } from '#features/accounts/registration.ts'

/** The form of a company's profile. The app passes it, because a feature imports no other feature. */
export type CompanyFieldsComponent = ComponentType<{
  values: CompanyValues
  problems: readonly FieldProblem[]
  onChange: (fields: Partial<CompanyValues>) => void
  onLeave: (field: CompanyField) => void
}>

interface RegisterCompanyProps {
  CompanyFields: CompanyFieldsComponent
  values: SignupValues
  serverProblems: readonly FieldProblem[]
  onChange: (fields: Partial<CompanyValues>) => void
  onDone: () => void
}

export function RegisterCompany({ CompanyFields, values, serverProblems, onChange, onDone }: RegisterCompanyProps) {
  const { t } = useTranslation('visitors')
  const dispatch = useDispatch()
  const { changeFields, problems, formRef, showProblems, setProblems } = useSmallForm<Partial<CompanyValues>>({})
  const [isChecking, setChecking] = useState(false)
  /** The typed code. A late response about a code that was typed before is ignored. */
  const currentCode = useRef('')
  useEffect(() => {
    currentCode.current = values.code.trim()
  }, [values.code])
  useEffect(() => {
    if (serverProblems.length > 0) showProblems(serverProblems)
  }, [serverProblems, showProblems])

  /** Returns whether another company has the code; false if that cannot be checked. Sends no request for an invalid code. */
  async function isTaken(): Promise<boolean> {
    const checkedCode = currentCode.current
    if (checkCompany({ code: checkedCode }).length > 0) return false
    const isCodeTaken = await dispatch(checkCodeTaken(checkedCode))
    return isCodeTaken === true && checkedCode === currentCode.current
  }

  async function handleLeave(field: CompanyField) {
    if (field !== 'code') return
    if (await isTaken())
      setProblems((current) => [...current.filter((problem) => problem.field !== field), duplicateCodeProblem])
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isChecking) return
    const companyProblems = checkNewCompany({ ...values, code: values.code.trim() })
    // The duplicate that was found on leaving the field stays visible until the code changes.
    if (companyProblems.length > 0)
      return void showProblems([
        ...problems.filter(({ code }) => code === duplicateCodeProblem.code),
        ...companyProblems,
      ])
    setChecking(true)
    const isCodeTaken = await isTaken()
    setChecking(false)
    if (showProblems(isCodeTaken ? [duplicateCodeProblem] : [])) onDone()
  }

  return (
    <form className="form" ref={formRef} noValidate onSubmit={(event) => void submit(event)}>
      <ErrorSummary />
      <CompanyFields
        values={values}
        problems={problems}
        onChange={(fields) => {
          changeFields(fields)
          onChange(fields)
        }}
        onLeave={(field) => void handleLeave(field)}
      />
      <Button kind="primary" type="submit" isBusy={isChecking}>
        {t('signup.next')}
      </Button>
    </form>
  )
}

const duplicateCodeProblem: FieldProblem = { field: 'code', code: 'DUPLICATE' }
