import type { Scenario } from '../entries.js'
import { type FileFault, fault } from './line-faults.js'

/** Finds parts of the run sheet and of the observer's sheet that do not end after they begin. */
export const minuteFaults = (scenario: Scenario): FileFault[] =>
  (['run_sheet', 'observer'] as const).flatMap((sheet) =>
    (scenario[sheet] ?? []).flatMap(({ from_minute, to_minute }, i) =>
      from_minute < to_minute
        ? []
        : fault(
            [sheet, i, 'to_minute'],
            `to_minute ${to_minute} is not after from_minute ${from_minute}`,
          ),
    ),
  )
