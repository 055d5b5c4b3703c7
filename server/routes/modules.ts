import {
  createModule,
  deleteModule,
  getModule,
  getModuleRelations,
  listJoinedContracts,
  listModuleChoices,
  updateModule,
  validateModules,
} from '#contract/modules.ts'
import { type EndpointHandler, createProcedureHandler, createUseCaseHandler } from '#server/http/route-handler.ts'
import {
  listContractsWithModules,
  readModuleRelations,
  validateModuleSet,
} from '#server/use-cases/catalogue/module-relations.ts'
import { listChoices, create, get, remove, update } from '#server/use-cases/catalogue/modules.ts'
import { requireCaller } from '#server/http/authenticate.ts'

export const moduleHandlers: EndpointHandler[] = [
  createUseCaseHandler(listModuleChoices, listChoices),
  createUseCaseHandler(getModule, get),
  createUseCaseHandler(createModule, create),
  createUseCaseHandler(updateModule, update),
  createUseCaseHandler(deleteModule, remove),
  createUseCaseHandler(getModuleRelations, readModuleRelations),
  createProcedureHandler(listJoinedContracts, async ({ app, principal }, input) => ({
    body: await listContractsWithModules(app, requireCaller(principal), input),
  })),
  createUseCaseHandler(validateModules, validateModuleSet),
]
