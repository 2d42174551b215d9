//! Files: `file.read`, `file.write`, `file.edit`, `file.notebook`.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use engine_policy::Showing;
use engine_tools::{Block, MediaType, Output};
use serde_json::json;

use super::{Answer, Around, blocking, leave, leave_with};
use crate::files::{
    CellCommand, CellKind, CellRequest, Change, Decided, EditRequest, FileError, Made, Missing, Noted, Part,
    Planned, ReadAnswer, ReadOptions, View, Which, plan_cell, plan_edit, plan_write,
};
use crate::permission::Leave;
use crate::person::Later;
use crate::preview::Preview;
use crate::session::Session;
use crate::valid::Valid;

fn place_of(leave: &Leave) -> Result<Decided, String> {
    let place = leave.place().ok_or("the call names no file")?;
    Decided::new(place).map_err(|error| error.to_string())
}

/// Something done with what the session has read, on a thread that may wait.
async fn with_view<T: Send + 'static>(
    session: &Arc<Session>,
    work: impl FnOnce(&View<'_>) -> Result<T, FileError> + Send + 'static,
) -> Result<T, String> {
    let session = Arc::clone(session);
    let done = blocking(move || {
        let sieve = session.sieve(None);
        let visible = |path: &std::path::Path| {
            path.to_str()
                .is_some_and(|path| sieve.shows(path) == Showing::Shown)
        };
        let seen = session.seen();
        work(&View {
            seen: &seen,
            visible: &visible,
        })
    });
    done.await?.map_err(|error| error.to_string())
}

/// Reads where there is leave to.
async fn read_at(
    around: Around<'_>,
    leave: &Leave,
    options: &ReadOptions,
) -> Result<Result<ReadAnswer, FileError>, String> {
    let place = place_of(leave)?;
    let options = options.clone();
    with_view(around.session, move |view| {
        Ok(crate::files::read(&place, &options, view))
    })
    .await
}

pub(super) async fn read(around: Around<'_>, call: &Valid) -> Result<Answer, String> {
    let input = call.input();
    let path = input.text("file_path").unwrap_or_default();
    let number = |field| input.integer(field).and_then(|number| u64::try_from(number).ok());
    let options = ReadOptions {
        offset: number("offset"),
        limit: number("limit"),
        pages: input.text("pages").map(str::to_owned),
    };
    let asked = leave(around, call, &[path], path).await?;
    let (answer, note_of) = match read_at(around, &asked, &options).await? {
        Ok(answer) => (answer, None),
        // A name that looks the same is meant, and whether it may be read is a question of its own.
        Err(FileError::Missing(Missing {
            other_space: Some(other),
            ..
        })) => {
            let Some(other) = other.as_path().to_str().map(str::to_owned) else {
                return Err(format!("`{path}` does not exist"));
            };
            let mut json = call.json().clone();
            if let Some(fields) = json.as_object_mut() {
                fields.insert("file_path".to_owned(), other.as_str().into());
            }
            let call = call.with_input(&json).map_err(|error| error.to_string())?;
            let asked = leave(around, &call, &[&other], &other).await?;
            let answer = read_at(around, &asked, &options).await?;
            let note = format!(
                "[`{path}` does not exist; this is `{other}`, with the other kind of space in its name]\n"
            );
            (answer.map_err(|error| error.to_string())?, Some(note))
        }
        Err(error) => return Err(error.to_string()),
    };
    if let Some(noted) = answer.noted {
        note(around, noted);
    }
    let mut text = String::new();
    let parts = note_of
        .map(Part::Text)
        .into_iter()
        .chain(answer.content.into_parts());
    let blocks: Vec<Block> = parts
        .map(|part| match part {
            Part::Text(piece) => {
                text.push_str(&piece);
                Block::Text(piece)
            }
            Part::Image(image) => Block::Image {
                media_type: media_type(image.media_type),
                base64: image.base64,
            },
        })
        .collect();
    Ok(Answer {
        output: Output {
            blocks,
            is_error: false,
        },
        value: json!({ "text": text }),
        changes: Vec::new(),
    })
}

pub(super) async fn write(around: Around<'_>, call: &Valid) -> Result<Answer, String> {
    let input = call.input();
    let path = input.text("file_path").unwrap_or_default();
    let content = input.text("content").unwrap_or_default().to_owned();
    let plan = move |place: &Decided, view: &View<'_>| plan_write(place, &content, view);
    let change = change(around, call, path, plan).await?;
    let text = match change.made {
        Made::Created => format!("File created successfully at: {path}"),
        Made::Changed => format!("The file {path} has been updated successfully."),
    };
    Ok(Answer::text(
        text,
        json!({ "path": path, "created": change.made == Made::Created, "diff": change.diff }),
    ))
}

pub(super) async fn edit(around: Around<'_>, call: &Valid) -> Result<Answer, String> {
    let input = call.input();
    let path = input.text("file_path").unwrap_or_default();
    let old = input.text("old_string").unwrap_or_default().to_owned();
    let new = input.text("new_string").unwrap_or_default().to_owned();
    let all = input.is_true("replace_all");
    let plan = move |place: &Decided, view: &View<'_>| {
        let request = EditRequest {
            old_string: &old,
            new_string: &new,
            which: if all { Which::All } else { Which::TheOnly },
        };
        plan_edit(place, &request, view)
    };
    let change = change(around, call, path, plan).await?;
    let text = if all {
        format!("The file {path} has been updated. All occurrences were successfully replaced.")
    } else {
        format!("The file {path} has been updated successfully.")
    };
    Ok(Answer::text(
        text,
        json!({ "path": path, "count": change.replaced, "diff": change.diff }),
    ))
}

pub(super) async fn notebook(around: Around<'_>, call: &Valid) -> Result<Answer, String> {
    let input = call.input();
    let path = input.text("notebook_path").unwrap_or_default();
    let (command, verb) = match input.text("command") {
        Some("insert") => (CellCommand::Insert, "Inserted"),
        Some("delete") => (CellCommand::Delete, "Deleted"),
        Some(_) | None => (CellCommand::Replace, "Updated"),
    };
    let number = input
        .integer("cell_number")
        .and_then(|number| usize::try_from(number).ok())
        .unwrap_or_default();
    let kind = input.text("cell_type").map(|kind| match kind {
        "markdown" => CellKind::Markdown,
        _ => CellKind::Code,
    });
    let source = input.text("new_source").map(str::to_owned);
    let plan = move |place: &Decided, view: &View<'_>| {
        let request = CellRequest {
            command,
            number,
            kind,
            source: source.as_deref(),
        };
        plan_cell(place, &request, view)
    };
    let change = change(around, call, path, plan).await?;
    Ok(Answer::text(
        format!("{verb} cell {number} of {path}."),
        json!({ "path": path, "diff": change.diff }),
    ))
}

/// A change that leave is asked for.
struct Asked<'a, F> {
    session: &'a Arc<Session>,
    plan: Arc<F>,
    /// As the person was shown it.
    planned: Mutex<Option<Planned>>,
}

impl<F> Asked<'_, F>
where
    F: Fn(&Decided, &View<'_>) -> Result<Planned, FileError> + Send + Sync + 'static,
{
    async fn work_out(&self, place: PathBuf) -> Result<Planned, String> {
        let plan = Arc::clone(&self.plan);
        let place = Decided::new(place).map_err(|error| error.to_string())?;
        with_view(self.session, move |view| plan(&place, view)).await
    }
}

impl<F> Preview for Asked<'_, F>
where
    F: Fn(&Decided, &View<'_>) -> Result<Planned, FileError> + Send + Sync + 'static,
{
    fn diff(&self, place: PathBuf) -> Later<'_, Result<String, String>> {
        Box::pin(async move {
            let planned = self.work_out(place).await?;
            let diff = planned.diff().to_owned();
            *self.planned.lock().unwrap_or_else(PoisonError::into_inner) = Some(planned);
            Ok(diff)
        })
    }
}

/// Asks leave for a change and makes it. Whoever is asked is shown the change as it is then made: where it was worked out for them, it is not
/// worked out again from a file that may be another by now.
async fn change(
    around: Around<'_>,
    call: &Valid,
    path: &str,
    plan: impl Fn(&Decided, &View<'_>) -> Result<Planned, FileError> + Send + Sync + 'static,
) -> Result<Change, String> {
    let asked = Asked {
        session: around.session,
        plan: Arc::new(plan),
        planned: Mutex::default(),
    };
    let leave = leave_with(around, call, &[path], path, Some(&asked)).await?;
    let known = asked
        .planned
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let place = leave.place().ok_or("the call names no file")?;
    let planned = match known.filter(|planned| planned.place().as_path() == place) {
        Some(planned) => planned,
        None => asked.work_out(place.to_owned()).await?,
    };
    let change = blocking(move || planned.carry_out())
        .await?
        .map_err(|error| error.to_string())?;
    note(around, change.noted.clone());
    Ok(change)
}

fn note(around: Around<'_>, noted: Noted) {
    around.session.seen_mut().note(noted);
}

pub(super) fn media_type(name: &str) -> MediaType {
    [MediaType::Png, MediaType::Jpeg, MediaType::Gif, MediaType::Webp]
        .into_iter()
        .find(|known| known.as_str() == name)
        .unwrap_or(MediaType::Png)
}
