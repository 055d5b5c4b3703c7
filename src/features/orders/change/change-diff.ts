import type { ContractTerms } from '#domain/fees/annual.ts'

export interface ChoiceDifference {
  user_mode: boolean
  users: boolean
  uat: boolean
  addedModules: string[]
  removedModules: string[]
}

export function getChoiceDifference(previousChoice: ContractTerms, nextChoice: ContractTerms): ChoiceDifference {
  return {
    user_mode: previousChoice.user_mode !== nextChoice.user_mode,
    users: previousChoice.users !== nextChoice.users,
    uat: previousChoice.uat !== nextChoice.uat,
    addedModules: nextChoice.modules.filter((code) => !previousChoice.modules.includes(code)),
    removedModules: previousChoice.modules.filter((code) => !nextChoice.modules.includes(code)),
  }
}

export const isEmptyDifference = ({ user_mode, users, uat, addedModules, removedModules }: ChoiceDifference): boolean =>
  !user_mode && !users && !uat && addedModules.length === 0 && removedModules.length === 0
