//! Which role a class plays: one table, read from the end of the simple class name.

/// A role and the simple class names that play it.
///
/// A class matches when its simple name ends with the entry, so `AppCompatButton`, `MaterialButton`
/// and `Button` are one line. The first match wins: longer endings stand before the shorter ones they
/// contain (`ImageButton` before `Button`, `RadioButton` before `Button`).
const ROLES: &[(&str, &str)] = &[
    ("RadioGroup", "radio_group"),
    ("RadioButton", "radio"),
    ("CheckBox", "checkbox"),
    ("Checkbox", "checkbox"),
    ("CheckedTextView", "checkbox"),
    ("ToggleButton", "switch"),
    ("Switch", "switch"),
    ("SwitchCompat", "switch"),
    ("SwitchMaterial", "switch"),
    ("SwitchPreference", "switch"),
    ("FloatingActionButton", "button"),
    ("ImageButton", "button"),
    ("Button", "button"),
    ("Chip", "button"),
    ("EditText", "text_field"),
    ("AutoCompleteTextView", "text_field"),
    ("SearchView$SearchAutoComplete", "text_field"),
    ("SearchAutoComplete", "text_field"),
    ("TextInputLayout", "group"),
    ("TextField", "text_field"),
    ("SeekBar", "slider"),
    ("RatingBar", "slider"),
    ("Slider", "slider"),
    ("ProgressBar", "progress"),
    ("ProgressIndicator", "progress"),
    ("Spinner", "dropdown"),
    ("NumberPicker", "picker"),
    ("DatePicker", "picker"),
    ("TimePicker", "picker"),
    ("WebView", "web_view"),
    ("TabWidget", "tab_bar"),
    ("TabLayout", "tab_bar"),
    ("BottomNavigationView", "tab_bar"),
    ("TabView", "tab"),
    ("BottomNavigationItemView", "tab"),
    ("ActionBar$Tab", "tab"),
    ("RecyclerView", "list"),
    ("ListView", "list"),
    ("GridView", "grid"),
    ("ViewPager", "pager"),
    ("ViewPager2", "pager"),
    ("ScrollView", "scroll"),
    ("AlertDialog", "dialog"),
    ("Dialog", "dialog"),
    ("Toast", "toast"),
    ("Snackbar$SnackbarLayout", "toast"),
    ("SnackbarLayout", "toast"),
    ("Toolbar", "toolbar"),
    ("ActionBar", "toolbar"),
    ("MenuItem", "menu_item"),
    ("ListMenuItemView", "menu_item"),
    ("ActionMenuItemView", "button"),
    ("VideoView", "video"),
    ("Chronometer", "text"),
    ("TextClock", "text"),
    ("ImageView", "image"),
    ("Image", "image"),
    ("TextView", "text"),
];

/// Roles that mean something to an agent even with no text, id or action: a spinner is "still loading".
const SPEAKING: &[&str] =
    &["progress", "slider", "web_view", "text_field", "checkbox", "switch", "radio", "dialog", "video"];

/// The role of a class; `None` for plain views and layouts.
pub(super) fn role_of(class: &str) -> Option<&'static str> {
    let simple = simple_class(class);
    ROLES.iter().find(|(ending, _)| simple.ends_with(ending)).map(|(_, role)| *role).filter(|role| *role != "group")
}

/// Whether an element of this role is kept whatever else it has.
pub(super) fn speaks_for_itself(role: Option<&str>) -> bool {
    role.is_some_and(|role| SPEAKING.contains(&role))
}

/// `Button` of `android.widget.Button`; inner classes stay (`ActionBar$Tab`).
pub(super) fn simple_class(class: &str) -> &str {
    class.rsplit('.').next().unwrap_or(class)
}
