/** The catalogue of modules. */
import {
  createModule,
  deleteModule,
  getModule,
  getModuleRelations,
  listJoinedContracts,
  listModuleChoices,
  listModules,
  updateModule,
  validateModules,
} from '#contract/modules.ts'
import { type Handler, listHandler, procedureHandler, useCaseHandler } from '#server/http/route-handler.ts'
import { joinedContracts, relations, validate } from '#server/use-cases/catalogue/module-relations.ts'
import { choices, create, get, list, remove, update } from '#server/use-cases/catalogue/modules.ts'
import { requireCaller } from '#server/http/authenticate.ts'

export const modules: Handler[] = [
  listHandler(listModules, list),
  useCaseHandler(listModuleChoices, choices),
  useCaseHandler(getModule, get),
  useCaseHandler(createModule, create),
  useCaseHandler(updateModule, update),
  useCaseHandler(deleteModule, remove),
  useCaseHandler(getModuleRelations, relations),
  procedureHandler(listJoinedContracts, async ({ app, principal }, input) => ({
    body: await joinedContracts(app, requireCaller(principal), input),
  })),
  useCaseHandler(validateModules, validate),
]
